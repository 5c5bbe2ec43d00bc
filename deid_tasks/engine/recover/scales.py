"""Scores, fractions and durations that are written like dates: PHQ-9 8/27, pain 7/10, VA 6/9, review in 2/52.

The scales stand in ``dictionaries/scales.tsv``, each with its highest value. A fraction behind a scale is its score
only where the denominator is that value: "PHQ-9 6/14" stays a date. Each expression matches one whole notation;
repetitions are bounded, and none contains another one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from deid_tasks.core.reference import read_columns

_KIND = r"(?i:scores?|scale|index|total|test|screen(?:ing)?|questionnaire|assessment|inventory|criteria)"
_BETWEEN = (
    rf"(?:[ -]{_KIND}|[ ](?i:points?|result|today|now|currently|is|was|of|at|remains|stable|improved|to|only)"
    r"|[ ](?i:class|grade)|[ ][A-C]|[ ](?:UE|LE|UL|LL)"
    r"|[ -]6[- ]?(?i:clicks?)|[ ]?\([A-Z][A-Za-z]{2,14}(?: \d(?:\.\d)?)?\)"
    r"|[ ](?i:parents?|teacher|caregiver|child|self|mother|father|mom|dad|spouse"
    r"|informant)(?:[- ](?i:rep(?:ort)?|form))?)"
)
"""A word between the name of a scale and its score; not on, done or from, behind which a date stands."""
_LINK = rf"{_BETWEEN}{{0,4}}(?: ?(?:[:=,(|]|[._]{{3,20}}))?[ ]?[(]?[ ]{{0,6}}"
_SHORTEST_OF_ALL_CASES = 6
_LAST_MONTH, _LAST_DAY = 12, 31
_MORE_SCORES = (
    r"(?:[,;/]?[ ](?:(?!(?i:on|seen|since|from|until|by|due|next|last|appt|visit|f/u|rtc|dated?|repeat|again)[ ])"
    r"[A-Za-z][A-Za-z.-]{1,15}[ ,;]{1,2}){0,3}"
)
"""What joins the scores of one scale, with words for its parts: Vanderbilt parent 7/9 inattn, 6/9 hyper."""
_NOT_SCORE = r"(?![\d/]|\.\d|-\d|[ ]?[:=][ ]?\d|[ ](?:was|showed|score)\b)"
"""What must not stand behind a fraction: the rest of a date, or the score that was measured on that day."""
_NOT_VISIT = r"(?! ?(?:(?i:visit|appt|appointment|note|labs?|f/u|at|am|pm)\b|@|\d{1,2}:\d\d))"
"""What must not stand behind the second fraction of a row."""
_METRES = r"6/(?:3|4|4\.8|5|6|7\.5|9|9\.5|12|15|18|24|30|36|38|48|60|75|95|120)[+-]?\d?"
_FEET = r"20/(?:10|12|15|16|20|25|30|32|40|50|60|63|70|80|100|125|150|160|200|250|300|320|400|500|600|800)[+-]?\d?"
_EYE = r"(?:VA|V/A|[Ss]nellen|[Vv]isual [Aa]cuity|[Aa]cuity|[Vv]ision|BCVA|UCVA|DVA|NVA|PH|ph|cph)"
_EYE_WORD = (
    r"(?:[ ](?i:cc|sc|ph|re|le|be|od|os|ou|r|l|right|left|eye|unaided|aided|corrected|uncorrected|is|was|of|and|with"
    r"|glasses|pinhole))"
)
_POWER = r"[0-5](?: ?[+-])?/5"
_MUSCLE = (
    r"(?i:deltoids?|biceps|triceps|brachioradialis|grip|interossei|iliopsoas|psoas|hip flexors?|hip flexion|quads?"
    r"|quadriceps|hamstrings?|knee (?:flexion|extension)|wrist (?:flexion|extension|flexors?|extensors?)"
    r"|finger (?:abduction|flexion|extension)|tibialis anterior|gastroc(?:nemius)?|ehl"
    r"|ankle (?:dorsiflexion|plantar ?flexion)|dorsiflexion|plantar ?flexion)"
)
_MUSCLE_WORD = r"(?:[ ](?i:strength|power|is|was|r|l|right|left|bilaterally|b/l|and))"
_PAIN = (
    r"(?i:pain|discomfort|severity|intensity|headaches?|cramps?|tenderness|itch|nausea|anxiety|fatigue|dyspnea|soreness"
    r"|rates?|rated|rating|\bpn)"
)
_PAIN_WORD = (
    r"(?:[ ,](?i:is|was|are|were|a|an|as|at|of|to|it|this|them|her|his|their|the|my|up|about|around|approximately"
    r"|roughly|over|under|above|below|than|greater|less|more|only|now|currently|today|usually|levels?|scores?|scale"
    r"|scored|rated|rating|worst|best|average|typically|reported|pain|severity|between|maximum|max|down|reaches"
    r"|reaching))"
)
_SKIN_TEST = (
    r"(?:SPTs?|[Ss]kin (?:prick|test)(?: tests?(?:ing)?)?|[Pp]rick tests?(?:ing)?|[Ww]heal(?:/flare)?|[Hh]istamine)"
)
_WHEAL = r"(?:\d{1,2}(?: ?[x/] ?\d{1,2})?(?: ?mm)?|neg(?:ative)?|pos(?:itive)?|-)(?![\d/])"
_PLAIN_ALLERGEN = (
    r"(?:D\.? ?(?:farinae|pteronyssinus|pter|far)|[Dd]ust mites?|[Aa]lternaria|[Aa]spergillus|[Cc]ladosporium"
    r"|[Hh]ormodendrum|[Pp]enicillium|[Rr]agweed|[Mm]ugwort|[Cc]ockroach|[Hh]istamine|[Cc]at (?:hair|dander|pelt)"
    r"|[Dd]og (?:epithelia?|dander))"
)
_ALLERGEN = r"[A-Za-z](?:\.|[A-Za-z'-]{2,15})(?: [a-z]{2,15}){0,2}"
_MOVEMENT = (
    r"(?:(?:DF|PF|KE|KF|HF|HE|HAbd|HAdd|TA|GS|IP|EE|EF|WE|WF|FE|FF|FA|SA|APB|FDI|ADM|FPL|EHL|EDB|EIP|EDC|FDP"
    r"|ECR|FCR|BR|Delt|Bi|Tri|IO)\b)"
)
"""Muscles and movements by the letters that examiners write: dorsiflexion, knee extension, interossei."""
_SPAN_OF_TIME = (
    r"(?i:in|for|r/v|rv|review|every|past|last|next|after|about|approx|over|x|until|of|hx|history|misses|another"
    r"|further)"
)
_CONDITION = (
    r"(?:(?i:shock|failure|ana?emia|bleed(?:ing)?|ha?emorrhage|infarct(?:ion)?|pain|weakness|falls?|syncope"
    r"|seizures?|delirium|encephalopathy|fever|leukocytosis|distress|arrest|edema|obstruction|deconditioning"
    r"|[a-z]{2,14}(?:itis|osis|a?emia|pathy|uria|penia|pno?ea|tension|xia|plegia|paresis))"
    r"|AKI|ARF|AMS|SOB|DOE|ARDS|AHRF|HRF|DKA|CHF|HF|PEA|CVA|LBP|N/V)"
)
_CAUSE = (
    r"(?:(?i:(?:(?:likely|presumed|suspected|known|acute|chronic|severe|poor|decreased|new) )?"
    r"(?:dehydration|hypovola?emia|infection|ana?emia|blood loss|(?:gi )?bleed(?:ing)?|alcohol|etoh|trauma|falls?"
    r"|cancer|cirrhosis|surgery|immobility|malnutrition|meds|medications?|chemo(?:therapy)?|(?:po )?intake|gi losses"
    r"|(?:volume|fluid) overload|sepsis"
    r"|[a-z]{3,14}(?:itis|osis|a?emia|pathy|uria|monia|stenosis|plasia|noma|trophy)))"
    r"|MRSA|MSSA|PNA|CAP|HAP|COPD|CHF|HF|HFrEF|HFpEF|UTI|GIB|UGIB|LGIB|ATN|AKI|CKD|ESRD|ACS|NSTEMI|MI|PE|DVT|CVA"
    r"|AF|Afib|RVR|DM|DM2|HTN|EtOH|COVID|RSV|OA|DDD|TBI|SDH|SAH|ICH|PVD|PAD|SBO|OSA|NASH|HCV|HBV|HIV|ALS|MS)\b"
    r"(?! (?:test|swab|screen|neg|pos|PCR|clinic|visit|appt)\b)"
)
"""A condition and its cause, with 2/2 between them for "secondary to"."""


class Notation(NamedTuple):
    """The expression of one whole notation, and a short one that matches wherever it begins."""

    whole: str
    start: str
    """RE2, without long repetitions, of which an automaton would need too many states."""


def _of_scales() -> Iterator[Notation]:
    """Yield a notation for each set of highest values: the scales that have it, and their scores."""
    names: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for name, maximum, alone in read_columns("scales.tsv", "name", "maximum", "alone"):
        names[maximum, alone == "yes"].append(_spelled(name))
    for (maximum, is_name_enough), spelled in names.items():
        scales, highest = f"(?:{'|'.join(sorted(spelled, key=len, reverse=True))})", maximum.replace(" ", "|")
        scored = rf"(?:\d{{1,3}}(?:\.5)?|\d{{1,2}}-\d{{1,2}})[T]?/(?:{highest}){_NOT_SCORE}"
        start = rf"{scales}[- :=,(|._]"
        if is_name_enough:
            more = rf"{_MORE_SCORES}\d{{1,3}}/(?:{highest}){_NOT_SCORE}{_NOT_VISIT}){{0,5}}"
            yield Notation(scales + _LINK + scored + more, start)
            continue
        # "Wells 5/9" may be a day on which Dr. Wells came; a day and a month cannot both be more than twelve.
        yield Notation(rf"{scales}[ -]{_KIND}{_LINK}{scored}", start)
        values = [value for value in maximum.split() if int(value) > _LAST_MONTH]
        if values:
            yield Notation(rf"{scales}{_LINK}(?:1[3-9]|[2-9]\d)/(?:{'|'.join(values)}){_NOT_SCORE}", start)
        if far := [value for value in values if int(value) > _LAST_DAY]:
            yield Notation(rf"{scales}{_LINK}\d{{1,2}}/(?:{'|'.join(far)}){_NOT_SCORE}", start)


def _spelled(name: str) -> str:
    """Return the expression of a scale's name: hyphens and blanks are optional, case too unless it is a short word."""
    spelled = re.escape(name).replace(r"\-", "[- ]?").replace(r"\ ", "[- ]")
    is_word = name.isalpha() and name.isupper() and len(name) < _SHORTEST_OF_ALL_CASES
    return spelled if is_word else f"(?i:{spelled})"


SCALES = (
    *_of_scales(),
    # Pain and other complaints from one to ten: pain over 7/10, rates them at about 6/10, headache 3-4/10.
    Notation(
        rf"{_PAIN}{_PAIN_WORD}{{0,6}}[ :,]{{1,3}}(?:\d(?:\.5)?|10)(?: ?(?:-|to) ?(?:\d|10))?/10"
        rf"(?:-(?:\d|10)/10)?{_NOT_SCORE}"
        rf"(?:[,;]?[ ](?:then[ ]|now[ ]|to[ ]|down to[ ])?(?:\d|10)/10{_NOT_SCORE}){{0,5}}",
        rf"{_PAIN}[ :,]",
    ),
    # Pain behind its medicine: given for 7/10 incisional pain, reassess 3/10; 2/10 on reassess.
    Notation(
        rf"(?:for|with|c/o|has|reports?|rates|still) (?:\d|10)/10 (?:[a-z]{{3,14}} )?"
        rf"(?:pain|discomfort|headache|cramping|tenderness)\b"
        r"(?:[^\n.;\d]{1,12}reassess(?:ed|ment)?(?: (?:at|to|is|was|now)){0,2}[ :]{1,2}(?:\d|10)/10"
        rf"{_NOT_SCORE})?",
        r"(?:for|with|c/o|has|reports?|rates|still) (?:\d|10)/10 [a-z]",
    ),
    Notation(
        r"(?:\d|10)/10(?= (?:on|at|upon) (?:re-?assess|rest\b|movement|exertion|palpation))",
        r"(?:\d|10)/10 (?:on|at|upon) ",
    ),
    # Visual acuity, also a whole row of a chart: VA cc 6/7.5   6/36 ph 6/24, 20/40 OD.
    Notation(
        rf"{_EYE}{_EYE_WORD}{{0,5}}[ :,|]{{1,24}}(?:{_METRES}|{_FEET})(?![\d/])"
        rf"(?:{_EYE_WORD}{{0,4}}[ ,;:|]{{1,24}}{_EYE_WORD}{{0,2}}[ ]?(?:{_METRES}|{_FEET})(?![\d/])){{0,4}}",
        rf"{_EYE}[ :,|]",
    ),
    # Power of muscles: deltoid 4/5, hip flexion R 4+/5, L 5/5.
    Notation(
        rf"{_MUSCLE}{_MUSCLE_WORD}{{0,4}}[ :,]{{1,3}}{_POWER}(?![\d/])"
        rf"(?:[ ,;]{{1,3}}(?:(?i:and|r|l|right|left)[ ])?{_POWER}(?![\d/])){{0,3}}(?: {_MOVEMENT})?",
        rf"{_MUSCLE}[ :,]",
    ),
    # Pulses of the foot: DP 2/4 and PT 1/4.
    Notation(r"DP(?:[ :]{1,2})[0-4]\+?/4(?:[,;]? (?:and )?PT[ :]{1,2}[0-4]\+?/4)?", r"DP[ :]{1,2}[0-4]\+?/4"),
    # Apgar scores with their minutes: Apgar 3/6/8 at 1/5/10.
    Notation(
        r"(?i:apgars?)(?: (?i:scores?|were|was|of|at)){0,3}[ :]{1,2}\d{1,2}[/, ]{1,2}\d{1,2}(?:[/, ]{1,2}\d{1,2})?"
        r"(?: (?i:at) 1(?:/5/10|/5)(?: (?i:min(?:utes)?))?)?",
        r"(?i:apgars?)[ :]",
    ),
    # Joints of a count: swollen 9/28, tender 13/28.
    Notation(rf"(?i:swollen|tender)(?: joints?)?:? \d{{1,2}}/(?:28|44|66|68){_NOT_SCORE}", r"(?i:swollen|tender)[ :j]"),
    # The levels of food and drink: IDDSI 5/2.
    Notation(rf"IDDSI(?: (?i:levels?|diet))?[ :]{{1,2}}[3-7]/[0-4]{_NOT_SCORE}", r"IDDSI[ :]"),
    # The parts of a coma score: GCS 9 (2/2/5).
    Notation(r"GCS[ :]{1,2}\d{1,2}T? ?\(?[1-4]/[1-5T]/[1-6]\)?", r"GCS[ :]"),
    # The parts of a bowel preparation, with their sum: Boston 2-3-3 = 8/9.
    Notation(
        r"(?:Boston|BBPS)(?: (?i:scale|score|(?:bowel )?prep\w*))?[ :]{1,2}"
        r"[0-3][-+/,][0-3][-+/,][0-3] ?= ?\d/9(?![\d/])",
        r"(?:Boston|BBPS)[ :]",
    ),
    # What was said again, of as many points: "teach back" 3/3.
    Notation(
        r"(?i:teach[- ]?back)[\"”]?(?: (?i:done|score|correct|was))?[ :,]{1,2}(?:2/2|3/3|4/4|5/5)(?![\d/])",
        r"(?i:teach[- ]?back)",
    ),
    # The amino acids and the glucose of a bag: Clinimix E 5/15.
    Notation(r"(?i:clinimix)(?: E)? (?:2\.75|4\.25|5|6|8)/(?:5|10|14|15|20|25)(?![\d/])", r"(?i:clinimix) "),
    # A job that is held for months: will hold his post for 4/12.
    Notation(
        r"(?i:hold|keep)(?: (?i:his|her|their|the|a))? (?i:post|job|place) (?:open )?for [1-9]/12(?![\d/])",
        r"(?i:hold|keep) ",
    ),
    # What a tumour got for tubules, nuclei and mitoses, with its sum: mitoses 1 = 6/9.
    Notation(
        r"(?i:mitos[ei]s|mitotic(?: (?:rate|score|count))?|nucle(?:i|ar)|tubules?)[ :]{1,2}[1-3],? ?[=(] ?"
        r"[3-9]/9(?![\d/])",
        r"(?i:mitos[ei]s|mitotic|nucle(?:i|ar)|tubules?)[ :]",
    ),
    # Steps, trials and repetitions that somebody managed: 8/8 steps.
    Notation(
        r"\d{1,2}/(?:3|4|5|6|7|8|10|12|15|20) (?:steps|trials|attempts|opportunities|reps|items)"
        r"(?= (?:correct|indep|w/|with|without|completed|done)|[.,;)]|\s*\n|$)",
        r"\d{1,2}/\d{1,2} [stiaor]",
    ),
    # Visits of those that a payer allows: Visits: 10/24 auth'd.
    Notation(
        r"(?i:visits?|sessions?|treatments?|tx|units)(?: (?i:used|today|no|number))?[ :#]{1,3}\d{1,3}/\d{1,3}"
        r"(?= (?i:auth|approved|allowed|allotted|used|remaining|left\b|certified|per auth))",
        r"(?i:visits?|sessions?|treatments?|tx|units)[ :#]",
    ),
    # Pages of a fax: P. 02/05, pp 4/4, page 3 of 7.
    Notation(
        r"(?:[Pp]ages?|PAGES?|[Pp]g\.?|[Pp]p\.?|[Pp]\.)[ ]{0,2}\d{1,3}(?:/| of )\d{1,3}(?![\d/])",
        r"(?:[Pp]ages?|PAGES?|[Pp]g\.?|[Pp]p\.?|[Pp]\.)[ ]{0,2}\d",
    ),
    # The day of a course: azithro d5/7, day 3/10.
    Notation(
        r"(?:d|[Dd]ay )(?:[1-9]|1\d|2[0-8])/(?:3|5|7|10|14|21|28|42)(?![\d/])", r"(?:d|[Dd]ay )\d{1,2}/(?:3|5|7|[124])"
    ),
    # British durations in days, weeks and months: review in 2/52, for 3/7, 6/12 history.
    Notation(
        rf"{_SPAN_OF_TIME}[ ]{{1,2}}[1-9]\d?/(?:7|52)(?![\d/]|[ ]?[:=])",
        rf"{_SPAN_OF_TIME}[ ]{{1,2}}[1-9]\d?/[57]",
    ),
    Notation(
        r"(?:1[3-9]|[2-5]\d)/52(?![\d/])|(?i:first|initial|within) [1-9]/52(?![\d/])"
        r"|(?:is|was|now|about|approx|currently|~) ?[1-9]/12 (?i:pregnant)"
        r"|(?i:defaulted) [1-9]/12(?= (?:when|while|as|because|due)\b)"
        r"|[1-9]\d?/(?:7|52|12) (?i:ago|hx|history|duration|later|hence|post[- ]?op\w*|by phone)",
        r"[1-9]\d?/(?:7|52|12)|(?i:first|initial|within|is|was|now|about|approx|currently|~|defaulted) ?[1-9]/[15]",
    ),
    # Secondary to: septic shock 2/2 MRSA pneumonia.
    Notation(rf"{_CONDITION} 2/2(?= {_CAUSE})", r"(?:[A-Za-z]+|N/V) 2/2 "),
    # Bottles in which a germ grew: MRSA 2/4 bottles.
    Notation(r"[1-4]/[24] (?i:bottles|sets)(?= |[,;.)]|\s*\n|$)", r"[1-4]/[24] (?i:bottles|sets)"),
    # Every hour, as Britain and Australia write it: neuro obs 1/24, UO 1/24.
    Notation(
        r"(?i:neuro|neurovasc(?:ular)?|hourly|vital|limb|GCS) (?i:obs|observations|checks?) (?:q)?[1-8]/24(?![\d/])",
        r"(?i:neuro|neurovasc(?:ular)?|hourly|vital|limb|GCS) (?i:obs|observations|checks?) q?[1-8]/24",
    ),
    # Two hours: with 2/24 of chest pain; a course: sutures out in 10-12/7.
    Notation(
        r"(?i:with|for|after|over|past|about|approx) [1-9]\d?/24(?= (?i:of (?!this|last|the|note|20|19)|ago))",
        r"(?i:with|for|after|over|past|about|approx) [1-9]\d?/24 ",
    ),
    Notation(
        r"(?:ROS|ROC|(?i:removal|sutures?|clips|out|review|rv|in|for|x)) [1-9]\d?-[1-9]\d?/(?:7|52)(?![\d/])",
        r"(?:ROS|ROC|(?i:removal|sutures?|clips|out|review|rv|in|for|x)) [1-9]\d?-[1-9]\d?/[57]",
    ),
    # Pain some words before: pain through to the back, 7/10 at night.
    Notation(
        rf"{_PAIN}[^.;\n]{{1,60}}, (?:\d(?:\.5)?|10)/10(?= (?:at (?:night|rest|worst|best)|on movement|with movement))",
        rf"{_PAIN}[ ,]",
    ),
    # Both eyes, as the finding behind them says: 6/9 and 6/12, mild NPDR.
    Notation(
        rf"{_METRES}(?:, | and | & |; ){_METRES}(?=[,;]? (?:(?:mild|moderate|severe|no) )?(?:N?PDR|retinopathy"
        r"|unaided|aided|corrected|with glasses|pinhole|vision))",
        r"6/\d{1,2}(?:, | and | & |; )6/",
    ),
    # A mixed number: since she was 3 1/2.
    Notation(
        r"(?i:was|were|is|aged?|about|nearly|almost) \d{1,2} (?:1/2|1/3|2/3|1/4|3/4)(?![\d/])",
        r"(?i:was|were|is|aged?|about|nearly|almost) \d{1,2} [123]/[234]",
    ),
    # Titres: ANA, which was positive at 1:40.
    Notation(
        r"(?:ANA|ANCA|ASMA|RPR|VDRL|dsDNA|titer|titre)"
        r"(?:,? (?i:which|was|is|were|weakly|positive|pos|reactive|at|to|of|a|screen|titer)){1,7}"
        r" 1:(?:10|20|40|80|160|320|640)(?![\d:]| ?[ap]\.?m)",
        r"(?:ANA|ANCA|ASMA|RPR|VDRL|dsDNA|titer|titre),? ",
    ),
    # Scores that are written in a row: Finnegan 9-8-11, BBPS 2-3-3, BPE 3/2/3 4*/3/2.
    Notation(
        r"(?:(?i:finnegan|apgars?|boston|bbps|erefs|flacc|painad|cpot|n-?pass|nips)|NAS|FNASS|ESC|WAT-?1|COWS"
        r"|CIWA(?:-Ar)?|RASS|PRIDE|BPE|PSR)(?: (?i:scores?|skills?|scale|x ?\d|q\d h?|were|was|of)){0,3}[ :]{1,2}"
        r"(?:\d{1,2}(?:[-/,]\d{1,2}\*?){3,7}|\d{1,2}[-/]\d{1,2}[-/](?!(?:1[5-9]|2\d)(?!\d))\d{1,2})(?![\d/:-])"
        r"(?: \d\*?/\d\*?/\d\*?(?![\d/]))?",
        r"(?:(?i:finnegan|apgars?|boston|bbps|erefs|flacc|painad|cpot|n-?pass|nips)|NAS|FNASS|ESC|WAT-?1|COWS"
        r"|CIWA(?:-Ar)?|RASS|PRIDE|BPE|PSR)[ :]",
    ),
    # Depths of gums and three tries of a grip: PPD 7/6/8, Jamar R 18/20/17.
    Notation(
        r"(?:(?:PPD|PD|CAL|[Pp]robing(?: depths?)?)[ :]{1,2}\d{1,2}/\d{1,2}/\d(?![\d/])"
        r"|(?:[Jj]amar|[Gg]rip|[Pp]inch)(?: (?:[RL]|strength|\(Jamar \d\)"
        r"|\d)){0,3}[ :]{1,2}\d{1,3}/\d{1,3}/\d{1,3}(?![\d/])"
        r"(?:,? L \d{1,3}/\d{1,3}/\d{1,3}(?![\d/]))?)",
        r"(?:PPD|PD|CAL|[Pp]robing|[Jj]amar|[Gg]rip|[Pp]inch)[ :]",
    ),
    # Wheal and flare of a skin test: histamine 7x22, D. farinae 9/30, Timothy 6/25, dog 0.
    Notation(
        rf"{_SKIN_TEST}(?:[,;:]? {{1,2}}{_ALLERGEN}[ :=]{{1,2}}{_WHEAL}){{1,40}}",
        _SKIN_TEST,
    ),
    Notation(rf"{_PLAIN_ALLERGEN}(?: mix)?[ :=]{{1,2}}\d{{1,2}}/\d{{1,2}}(?![\d/])", _PLAIN_ALLERGEN),
    # Charts of the eyes: Titmus fly pos 6/9, color plates 8/11.
    Notation(
        r"(?:Titmus|Randot|Wirt|Lang|Frisby|TNO|[Cc]olou?r (?:plates?|vision)|HRR)"
        r"(?: (?i:fly|stereo(?:psis)?|animals?|circles?|dots|plates?|pos(?:itive)?|neg|\+|butterfly|o[dsu]|was"
        r"|is)){0,5}"
        rf"[ :,]{{1,2}}\d{{1,2}}/(?:3|6|7|8|9|1[0-7]|2[145]){_NOT_SCORE}",
        r"(?:Titmus|Randot|Wirt|Lang|Frisby|TNO|[Cc]olou?r (?:plates?|vision)|HRR)[ :,]",
    ),
    # Movements by their letters: 4/5 DF, KE 4+/5, L PF 5/5.
    Notation(
        rf"{_POWER}(?: [RL])? (?:{_MOVEMENT})(?![\w/])|(?:{_MOVEMENT})(?: [RL])? {_POWER}(?![\d/])",
        rf"(?:[0-5] ?[+-]?/5 |{_MOVEMENT} [RL0-5])",
    ),
    # Cores in which a tumour was, of those taken: bx 14 cores, GG2 in 3/14.
    Notation(
        r"(?P<cores>\d{1,2})[- ]cores?\b[^\n\d/]{0,16}[^\n/]{0,48}? in \d{1,2}/(?P=cores)(?![\d/])",
        r"\d{1,2}[- ]cores?\b",
    ),
    # Sessions of a radiation: OTV fx 12/33, fraction 5 of 30.
    Notation(
        r"OTV[ #:]{1,2}(?:fx |fraction |tx )?#?\d{1,2}/\d{1,2}(?![\d/])|(?i:fx|frx"
        r"|fractions?) #?\d{1,2}/(?:3[2-9]|4\d)(?![\d/])"
        r"|(?i:fractions?) #?\d{1,2}/(?:1[05]|16|2[058]|30)(?![\d/])",
        r"OTV[ #:]|(?i:fx|frx|fractions?) #?\d",
    ),
    # What an insurer pays for in a month: quantity limit 2/28.
    Notation(
        r"(?i:(?:quantity|qty) limits?|QLs?)[ :]{1,2}(?:of )?\d{1,3}/(?:7|14|21|25|28|30|31|34|60|84|90)(?![\d/])",
        r"(?i:(?:quantity|qty) limits?|QLs?)[ :]",
    ),
    # Ablation and coagulation of a wand: Coblator 7/3.
    Notation(
        r"(?i:coblat(?:or|ion))(?: (?i:set|settings?|wand|at|on|to)){0,3}[ :@]{1,2}[5-9]/[35](?![\d/])",
        r"(?i:coblat(?:or|ion)) ",
    ),
    # The pH of a blood gas with what follows it: 7.24/78.
    Notation(r"[67]\.\d\d?/\d{2,3}(?:\.\d)?(?:/\d{2,3}(?:\.\d)?){0,3}(?![\d/.-])", r"[67]\.\d\d?/\d{2,3}"),
    # Insulin by carbohydrates at each meal: I:C 1:9 breakfast, 1:11 supper.
    Notation(
        r"(?:I:C|C:I|I/C|ICR|CIR|IC|(?i:(?:insulin[- ]to[- ])?carb(?:ohydrate)? ratios?))(?: (?:is|of|now|was)){0,2}"
        r"[ :=]{1,2}(?:[A-Za-z]{1,12} ){0,2}1:\d{1,3}(?![\d:])"
        r"(?:(?: (?!at )[A-Za-z/]{1,12}){0,3}[,;/]? (?:(?!at )[A-Za-z/]{1,12} ){0,2}1:\d{1,3}(?![\d:])){0,7}",
        r"(?:I:C|C:I|I/C|ICR|CIR|IC|(?i:carb|insulin)[a-z -]{0,20} ratios?)[ :=]",
    ),
    # Times that Britain and Singapore write by the month or the hour: SOS 3/12, TCU 4/12, SOOB 2/24.
    Notation(
        r"(?:SOS|PIFU|TCU)(?: in)? [1-9]\d?/(?:7|52|12)(?![\d/])"
        r"|(?:SOOB|SOEOB|Observe|[Tt]urns?|[Pp]ressure care|PAC|[Nn]eurovasc obs"
        r"|[Mm]outh ?care) (?:q)?[1-8]/24(?![\d/])",
        r"(?:SOS|PIFU|TCU)(?: in)? [1-9]|(?:SOOB|SOEOB|Observe|[Tt]urns?|[Pp]ressure care|PAC|[Nn]eurovasc obs"
        r"|[Mm]outh ?care) q?[1-8]/24",
    ),
)
"""The notations of this subject."""


def is_behind_scale(before: str) -> bool:
    """Whether ``before`` ends in the name of a scale that is nothing else, so that its score follows: "Zarit 38"."""
    return _scale_before().search(before) is not None


@cache
def _scale_before() -> re.Pattern[str]:
    names = sorted({_spelled(name) for name, alone in read_columns("scales.tsv", "name", "alone") if alone == "yes"})
    return re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?: (?i:score|total))?[ :=]{{1,2}}\(?$")
