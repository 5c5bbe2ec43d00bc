"""Professions: another one of the same level. Levels follow the job zones of O*NET: how long one learns for a work."""

import re
from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext

_LEVELS = (
    # Little or no preparation.
    """baker's helper; barista; bartender; bus driver; busser; car wash attendant; cashier; childcare worker; construction laborer;
    crossing guard; custodian; deli clerk; delivery driver; dishwasher; dog walker; farm worker; fast food worker; file clerk;
    food server; gas station attendant; grocery stocker; hotel housekeeper; house cleaner; janitor; landscaper; laundry worker;
    lifeguard; mover; packer; parking attendant; preschool aide; security guard; sorter; stock clerk; taxi driver; usher; waiter;
    warehouse worker; window cleaner""",
    # A trade, some months to two years.
    """administrative assistant; auto mechanic; baker; bank teller; barber; bookkeeper; butcher; carpenter; claims clerk; cook;
    correctional officer; crane operator; dental assistant; dispatcher; drywall installer; electrician; factory supervisor; farmer;
    firefighter; flight attendant; florist; forklift operator; hairdresser; insurance agent; ironworker; line cook; machinist;
    mail carrier; mason; mechanic; medical assistant; miner; musician; nail technician; office manager; painter; pharmacy technician;
    phlebotomist; pipefitter; plumber; police officer; postal worker; real estate agent; receptionist; roofer; sales representative;
    seamstress; secretary; ship fitter; store manager; tailor; teacher's aide; truck driver; upholsterer; welder""",
    # A degree.
    """accountant; architect; art teacher; auditor; biology teacher; budget analyst; buyer; chemist; civil engineer; computer programmer;
    copy editor; court reporter; data analyst; dietitian; editor; elementary school teacher; financial advisor; geologist;
    graphic designer; high school teacher; human resources manager; interior designer; interpreter; journalist; librarian;
    loan officer; logistics manager; marketing manager; math teacher; mechanical engineer; music teacher; network administrator;
    nurse; occupational therapist; paralegal; photographer; physical education teacher; pilot; project manager; reporter;
    school counselor; science teacher; social worker; software developer; speech therapist; surveyor; teacher; technical writer;
    urban planner; web developer; youth pastor""",
    # A doctorate, a licence, or the head of something.
    """anthropologist; astronomer; attorney; biologist; chief financial officer; college professor; dean; dentist; economist;
    epidemiologist; historian; investment banker; judge; lawyer; lecturer; mathematician; optometrist; pharmacist; physicist;
    physician; political scientist; professor; psychiatrist; psychologist; research scientist; school principal; statistician;
    superintendent; surgeon; university lecturer; veterinarian""",
)
_ENDINGS = (
    (
        re.compile(
            r"(?:professor|attorney|lawyer|physician|surgeon|dentist|judge|psychologist|scientist|executive|ceo|cfo|president)s?$"
        ),
        3,
    ),
    (
        re.compile(
            r"(?:engineer|teacher|manager|analyst|nurse|rn|designer|developer|therapist|pastor|minister|officer|consultant|director|coach)s?$"
        ),
        2,
    ),
    (re.compile(r"(?:worker|helper|attendant|cleaner|clerk|laborer|aide|stocker|picker|driver)s?$"), 0),
)
_AROUND = re.compile(
    r"(?P<head>(?:(?:retired|former|semi-retired|disabled|unemployed|part-time|full-time|self-employed|ex|an?|prior|previous|current|as|works|worked|was|is|career|longtime|active)[\s-]+)*)"
    r"(?P<core>.+?)(?P<tail>\s*(?:\((?:retired|ret)\.?\)|,?\s+retired|for \d+ years)?)",
    re.IGNORECASE | re.DOTALL,
)
_SERVICES = ("Army", "Navy", "Air Force", "Marine Corps", "Coast Guard")
_SERVICE = re.compile(r"\b(?:Army|Navy|Air Force|Marine Corps|Marines?|Coast Guard)\b", re.IGNORECASE)
"""A service gives way to another: a veteran stays one."""
_STATES_OF_WORK = frozenset(
    ["retired", "disabled", "unemployed", "student", "homemaker", "housewife", "self-employed", "on disability"]
)
"""They name no profession, and stay."""
_TRADE = 1


def replace_profession(value: str, context: NoteContext) -> str:
    """Another profession of the same level; "retired", "former" and the plural stay."""
    found = _AROUND.fullmatch(value.strip())
    if found is None or fold(value) in _STATES_OF_WORK:
        return value
    core = found["core"]
    if not any(char.isalnum() for char in fold(core)):
        return context.keyed.like(value, "profession")
    if service := _SERVICE.search(core):
        others = [name for name in _SERVICES if name.casefold() != service.group().casefold()]
        new = context.keyed.choice(others, "service", context.patient_id, fold(service.group()))
        return value.replace(service.group(), match_case(new, service.group()))
    folded = fold(core)
    plural = (
        folded.endswith("s") and (folded[:-1] in _levels() or not folded.endswith("ss")) and folded not in _levels()
    )
    single = folded[:-1] if plural else folded
    level = _level(single)
    options = [name for name in _of_level(level) if name not in single and single not in name]
    if context.options.same_length:
        options = [name for name in options if len(name) == len(single)] or options
    made = context.keyed.choice(options, "profession", context.patient_id, single)
    if plural:
        made += "s" if made[-1] not in "sh" else "es"
    is_title = core[:1].isupper() and all(word[:1].isupper() for word in core.split())
    lead = value[: len(value) - len(value.lstrip())]
    return lead + found["head"] + match_case(made.capitalize() if is_title else made, core) + found["tail"]


@cache
def _of_level(level: int) -> tuple[str, ...]:
    return tuple(re.sub(r"\s+", " ", name).strip() for name in _LEVELS[level].split(";"))


@cache
def _levels() -> dict[str, int]:
    return {name: level for level in range(len(_LEVELS)) for name in _of_level(level)}


def _level(folded: str) -> int:
    if folded in _levels():
        return _levels()[folded]
    return next((level for ending, level in _ENDINGS if ending.search(folded)), _TRADE)
