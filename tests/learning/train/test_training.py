"""A training from start to end, and what samples look like to models of every kind."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, ModelError
from deid_tasks.engine.detect.crf import LinearChainCrf
from deid_tasks.engine.detect.rule_features import RULE_NAMES, RuleFeatures
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.shapes import shape_words
from deid_tasks.engine.text.word_groups import broadcast_to_words, group_words
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.learning.train.configuration import write_config
from deid_tasks.learning.train.encode import Cutting, encode_samples, packed_samples
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.fit import collate, fit, tagging_loss
from deid_tasks.learning.train.losses import word_scores
from deid_tasks.learning.train.mixture import MixtureSettings
from deid_tasks.learning.train.run import build_tagger, source_of, train
from deid_tasks.learning.train.sample import Mark, Sample
from deid_tasks.learning.train.settings import FitSettings, NetworkSettings, TrainSettings
from deid_tasks.learning.train.targets import ANY, BEGIN, PERSON, TARGET_ID, allowed_table, output_names
from deid_tasks.settings import TransformerSettings
from tests.support.tiny_model import save_encoder, write_tiny_tokenizer

SAMPLE = Sample("Seen by DR. ABE COLE on 3/14/21.", (Mark(12, 20, "PROVIDER"), Mark(24, 31, "DATE")), "made")
FIT = FitSettings(steps=3, threads=1)


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder("bert", tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> WordPieceTokenizer:
    return WordPieceTokenizer(write_tiny_tokenizer(tmp_path_factory.mktemp("tokenizer")))


def test_a_training_ends_in_a_model_that_loads_and_a_folder_keeps_its_settings(
    pretrained: Path, tmp_path: Path
) -> None:
    mixture = MixtureSettings(
        skeleton_rounds=0, context_rounds=1, context_copies=1, note_copies=1, hospital_notes=5, negatives=20
    )
    settings = TrainSettings(tmp_path, mixture, FIT, NetworkSettings(str(pretrained), 2, window=32))
    lines: list[str] = []
    train(settings, lines.append)
    assert TransformerDetector(TransformerSettings(model=str(settings.exported))).detect([Document("n", "Abe")])
    assert any("step 3/3" in line for line in lines)
    other = replace(settings, model=replace(settings.model, layers=1))
    with pytest.raises(InputError, match=r"holds a training with another model\.layers"):
        train(other, lines.append)


KINDS = {
    "plain": NetworkSettings(window=32),
    "crf-bio": NetworkSettings(window=32, head="crf", labels="bio"),
    "crf-first": NetworkSettings(window=32, head="crf", subwords="first"),
    "rules-uncased": NetworkSettings(window=32, has_rules=True, has_casing=False),
    "window-titled": NetworkSettings(window=64, context="window", overlap=0.1, is_titled=True),
    "family": NetworkSettings(window=32, labels="bio", entities=(Entity.PROVIDER,)),
    "units": NetworkSettings(window=32, reads="word_groups"),
    "units-crf-rules": NetworkSettings(window=32, reads="word_groups", head="crf", labels="bio", has_rules=True),
}


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_every_kind_of_model_learns(settings: NetworkSettings, pretrained: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    source = source_of(pretrained / "tokenizer.json", [SAMPLE] * 8, settings)
    tagger = build_tagger(pretrained, settings)
    table = torch.from_numpy(allowed_table(tagger.outputs))

    def cost() -> float:
        batch = collate(list(encode_samples(source.encoder, source.samples, source.cutting, source.rules)))
        with torch.no_grad():
            logits = tagger.eval()(batch.ids, batch.cases, batch.gaps, batch.mask, batch.rules)
            return float(tagging_loss(tagger, logits, batch, table, is_first=settings.subwords == "first"))

    before = cost()
    fit(tagger, source, replace(FIT, steps=15, learning_rate=3e-3), tmp_path, lambda _: None)
    assert cost() < before * 0.7


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_the_detector_reads_every_kind_as_it_was_trained(
    settings: NetworkSettings, pretrained: Path, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    tagger = build_tagger(pretrained, settings).eval()
    with torch.no_grad():
        for name, parameter in tagger.named_parameters():
            if name.startswith("crf."):
                parameter.normal_(std=2.0)
            if name.startswith("head."):
                parameter.normal_(std=0.6)
    export(tagger, pretrained / "tokenizer.json", tmp_path / "model", is_quantised=False)
    write_config(tagger, tmp_path / "model", settings)
    detector = TransformerDetector(TransformerSettings(model=str(tmp_path / "model"), outside_bias=0.0))
    text = "DR. ABE COLE on 3/14."
    [found] = detector.detect([Document("n", text)])
    source = source_of(pretrained / "tokenizer.json", [Sample(text, ())], replace(settings, context="sentence"))
    [window] = encode_samples(source.encoder, source.samples, replace(source.cutting, window=64), source.rules)
    batch = collate([window])
    with torch.no_grad():
        logits = tagger(batch.ids, batch.cases, batch.gaps, batch.mask, batch.rules)
        is_first = settings.subwords == "first"
        if tagger.crf is None:
            chances = word_scores(logits.softmax(-1), batch.words, is_first=is_first)[0][0].numpy()
        else:
            content = {name: value.tolist() for name, value in tagger.crf.state_dict().items()}
            scores = word_scores(logits, batch.words, is_first=is_first)[0][0].numpy()
            chances = LinearChainCrf.read(content, len(tagger.outputs), "here").probabilities(scores)
    if tagger.has_units:
        units = group_words(source.encoder.encode([text]), tagger.shape.padding)
        chances = broadcast_to_words(chances, units)
    words = shape_words([text])
    assert len(window.ids) <= settings.window
    for start, end, chance in zip(words.starts, words.ends, 1 - chances[:, 0], strict=True):
        if text[start].isalnum():
            is_found = any(span.start <= start and end <= span.end for span in found)
            assert chance > 0.15 if is_found else chance < 0.6, (start, chance)


def test_a_run_ends_when_its_minutes_are_over(pretrained: Path, tmp_path: Path) -> None:
    settings = NetworkSettings(window=32)
    source = source_of(pretrained / "tokenizer.json", [SAMPLE] * 8, settings)
    lines: list[str] = []
    fit(build_tagger(pretrained, settings), source, replace(FIT, steps=100_000, minutes=0.02), tmp_path, lines.append)
    assert int(lines[-1].split()[1].split("/")[0]) < 1_000


def test_a_window_longer_than_the_encoder_reads_is_refused(pretrained: Path) -> None:
    with pytest.raises(ModelError, match="reads 66 pieces at once, not a window of 128"):
        build_tagger(pretrained, NetworkSettings(window=128))


def test_a_device_that_is_not_there_is_refused(
    pretrained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where there is one, it is hidden.
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    settings = NetworkSettings(window=32)
    with pytest.raises(ModelError, match="no CUDA device is available"):
        fit(
            build_tagger(pretrained, settings),
            source_of(pretrained / "tokenizer.json", [SAMPLE], settings),
            replace(FIT, device="cuda"),
            tmp_path,
        )


def test_outputs_of_a_family_take_all_else_for_outside() -> None:
    outputs = output_names((Entity.PROVIDER, Entity.PATIENT), "bio")
    assert outputs == ("O", "B-PATIENT", "I-PATIENT", "B-PROVIDER", "I-PROVIDER")
    table = allowed_table(outputs)

    def allowed(target: str, *, begins: bool) -> set[str]:
        row = table[TARGET_ID[target] + BEGIN * begins]
        return {name for name, cost in zip(outputs, row, strict=True) if cost == 0}

    assert allowed("PROVIDER", begins=True) == {"B-PROVIDER"}
    assert allowed("PROVIDER", begins=False) == {"I-PROVIDER"}
    assert allowed("DATE", begins=True) == {"O"}
    assert allowed(PERSON, begins=True) == {"B-PATIENT", "B-PROVIDER", "O"}
    assert allowed(ANY, begins=False) == set(outputs)


def test_windows_overlap_and_first_pieces_alone_count(encoder: WordPieceTokenizer) -> None:
    pieces = encoder.encode([SAMPLE.text])
    windows = list(encode_samples(encoder, [SAMPLE], Cutting(12, overlap=4, subwords="first")))
    spans = [window.ids[1:-1] for window in windows]
    assert np.array_equal(np.concatenate([spans[0], *[span[4:] for span in spans[1:]]]), pieces.ids)
    counted = {int(word) for w in windows for word, t in zip(w.words, w.targets, strict=True) if t != TARGET_ID[ANY]}
    assert counted == set(pieces.word_of_piece.tolist())
    [whole] = encode_samples(encoder, [SAMPLE], Cutting(64, subwords="first"))
    assert int((whole.targets != TARGET_ID[ANY]).sum()) == len(set(pieces.word_of_piece.tolist()))
    assert int((whole.targets == TARGET_ID["PROVIDER"] + BEGIN).sum()) == 1
    assert int((whole.targets == TARGET_ID["PROVIDER"]).sum()) == 1


def test_samples_are_packed_to_notes_of_one_source() -> None:
    other = Sample("No fever.", (), "other")
    packed = packed_samples([SAMPLE, SAMPLE, SAMPLE, other], 70)
    assert [sample.text.count("\n") for sample in packed] == [1, 0, 0]
    assert [packed[0].text[mark.start : mark.end] for mark in packed[0].marks] == ["ABE COLE", "3/14/21"] * 2


def test_rules_say_what_they_know_of_each_word() -> None:
    rules = RuleFeatures()
    said = rules.of("Seen Maria on 3/14/21 for Crohn disease.")
    of_word = [{RULE_NAMES[i] for i in np.flatnonzero(row)} for row in said]
    assert "list:given_name" in of_word[1]
    assert all("pattern:DATE" in names for names in of_word[3:8])
    assert "list:eponym" in of_word[9]
    assert said.shape == (12, len(RULE_NAMES))
    assert rules.of("").shape == (0, len(RULE_NAMES))


def test_titled_text_is_read_as_title_case(encoder: WordPieceTokenizer) -> None:
    [plain] = encode_samples(encoder, [SAMPLE], Cutting(64))
    [titled] = encode_samples(encoder, [SAMPLE], Cutting(64, is_titled=True))
    assert set(plain.cases[plain.words == 4].tolist()) == {3}
    assert set(titled.cases[titled.words == 4].tolist()) == {2}
