"""Diagnoses that the text of a release names, which stay in it: a rare one tells people apart.

They are the diseases of ICD-10-CM and MeSH, and those that are called after people, as
``dictionaries/medical_terms.tsv`` has them. Parts of the body, degrees and stages, which stand among those terms, are
left out by the form of the words. A diagnosis counts where it is named, also where it is denied or a relative's: a
reader who knows the person sees the same words.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from deid_tasks.engine.lexicon import Lexicon, default_lexicon, mask_of, normalise, text_batches

_DISEASES = mask_of("medical", "disease") | mask_of("medical", "eponym")
_NAMES_A_DISEASE = re.compile(
    r"(?:itis|omas?|osis|oses|a?emia|pathy|pathies|trophy|plasia|penia|philia|lepsy|ectasis|megaly|algia|plegia|paresis"
    r"|rrhages?|rrhea|iasis|uria|thyroidism|glyc[a-z]{2,4}ia)\b"
    r"|\b(?:disease|syndrome|disorder|cancer|tumou?r|hernia|fractures?|failure|infections?|diabetes|hypertension|hypotension|stroke|palsy|sclerosis"
    r"|aneurysm|stenosis|asthma|psoriasis|lupus|gout|hiv|aids|eczema|shingles|cataracts?|glaucoma|dementia|delirium"
    r"|depression|anxiety|schizophrenia|bipolar|autism|epilepsy|seizures?|migraine|pregnancy|abscess|ulcers?|embolism"
    r"|thrombosis|infarction|angina|fibrillation|block|valve|anomaly|malformation|contracture|tuberculosis|malaria"
    r"|syphilis|measles|covid(?: 19)?|sepsis|pneumonia|influenza|obesity|rupture|dislocation|burns?|overdose|abuse"
    r"|dependence|addiction|blindness|deafness|amputation|transplant)\b"
)
"""Words of a term that is a diagnosis: "humerus fracture", not "right humerus"."""
_WORDS = frozenset({"diagnosis", "prognosis"})


def named_diagnoses(texts: Sequence[str], lexicon: Lexicon | None = None) -> Iterator[frozenset[str]]:
    """Yield the diagnoses that each text names, in lower case, in the order given. Texts are looked up in batches.

    Args:
        texts: the texts.
        lexicon: whose diseases count; the public terms where ``None``.
    """
    known = lexicon or default_lexicon()
    for batch in text_batches(texts):
        chosen = [texts[index] for index in batch]
        scan = known.scan(chosen)
        terms, _ = known.match(scan)
        diseases = terms.only(_DISEASES)
        bases = scan.bases.tolist()
        found: list[set[str]] = [set() for _ in chosen]
        for first, count in zip(diseases.first.tolist(), diseases.tokens.tolist(), strict=True):
            start, end = int(scan.starts[first]), int(scan.ends[first + count - 1])
            number = bisect_right(bases, start) - 1
            term = normalise(chosen[number][start - bases[number] : end - bases[number]])
            if _NAMES_A_DISEASE.search(term) and term not in _WORDS:
                found[number].add(term)
        yield from map(frozenset, found)
