"""Trains a spaCy pipeline of the small English model's shape, for machines that cannot reach spaCy's downloads.

    PEER/bin/python benchmarks/detection/peer/train_spacy.py --corpora FOLDER --out PEER/en_standin_sm

The pipeline has two components with the architecture of ``en_core_web_sm``: hash embeddings with four convolutions of
width 96, and a transition-based recognizer. It is trained on ``broad_twitter_train.jsonl`` and ``wnut17_train.jsonl``
of FOLDER: people, places and organizations. It lacks the tagger, parser, lemmatizer and dates of the released model, so
Presidio is a little faster with it and finds fewer dates.
"""

import argparse
import json
import random
from pathlib import Path

import spacy
from spacy.training import Example
from spacy.util import minibatch

LABELS = {"NAME": "PERSON", "LOCATION": "GPE", "ORGANIZATION": "ORG"}


def main() -> None:
    """Train, save, and print the loss of each pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--passes", type=int, default=4)
    arguments = parser.parse_args()
    random.seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": {"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None,
                                              "width": 96, "depth": 4, "embed_size": 2000, "window_size": 1,
                                              "maxout_pieces": 3, "subword_features": True}})  # fmt: skip
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "tok2vec"}
    nlp.add_pipe("ner", config={"model": {"@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner",
                                          "extra_state_tokens": False, "hidden_width": 64, "maxout_pieces": 2,
                                          "use_upper": True, "nO": None, "tok2vec": listener}})  # fmt: skip
    examples = []
    for name in ("broad_twitter_train", "wnut17_train"):
        for line in (arguments.corpora / f"{name}.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            doc = nlp.make_doc(row["text"])
            found = [
                doc.char_span(s["start"], s["end"], LABELS[s["label"]], alignment_mode="expand")
                for s in row["spans"]
                if s["label"] in LABELS
            ]
            gold = doc.copy()
            gold.ents = spacy.util.filter_spans([span for span in found if span is not None])
            examples.append(Example(doc, gold))
    nlp.initialize(lambda: examples)
    optimizer = nlp.resume_training()
    for number in range(arguments.passes):
        random.shuffle(examples)
        losses: dict[str, float] = {}
        for batch in minibatch(examples, size=32):
            nlp.update(batch, sgd=optimizer, drop=0.1, losses=losses)
        print(number + 1, {name: round(loss) for name, loss in losses.items()}, flush=True)
        nlp.to_disk(arguments.out)


if __name__ == "__main__":
    main()
