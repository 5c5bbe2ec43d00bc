"""Occupations named in passing: his sister, a teacher; 45F, landscaper; was a welder."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength
from deid_tasks.engine.detect.patterns.word_lists import split_words

_SINGLE = split_words(
    """
    accountant actor actress actuary administrator analyst animator architect archivist artist assembler astronomer athlete attorney auctioneer auditor author baker banker barber barista bartender
    beautician beekeeper biologist blacksmith bodyguard bookkeeper botanist brewer bricklayer broker builder butcher cabbie cabinetmaker carpenter cashier caterer chauffeur cheesemaker chef chemist
    choreographer cobbler comedian composer conductor contractor cook cosmetologist cowboy custodian dairyman dancer deckhand decorator designer detective diplomat diver dispatcher drummer economist
    editor electrician engineer engraver entertainer entrepreneur esthetician executive exterminator fabricator farmer farmhand filmmaker firefighter fireman fisherman florist foreman forester forklift
    gardener geologist glazier goldsmith groundskeeper groomer guitarist gunsmith hairdresser hairstylist handyman historian housekeeper hygienist illustrator imam inspector investor ironworker jailer janitor
    jeweler jockey journalist judge laborer landlord landscaper lawyer librarian lineman linguist lobbyist locksmith logger longshoreman lumberjack machinist magician maid mailman manicurist mason
    mathematician mechanic merchant metalworker meteorologist millwright miner minister missionary model musician nanny novelist nun optician organist painter paralegal pastor performer philosopher
    photographer physicist pianist pilot pipefitter plasterer playwright plumber poet policeman policewoman politician potter preacher priest principal printer producer professor programmer proofreader publisher
    rabbi rancher realtor receptionist recruiter reporter restaurateur retailer roofer sailor salesman salesperson saleswoman sculptor seamstress secretary sheriff shipfitter shoemaker singer soldier
    songwriter statistician steelworker stockbroker stonemason student superintendent surveyor tailor teacher teller trucker trumpeter tutor typist umpire upholsterer usher valet veteran violinist waiter waitress
    watchmaker weaver welder woodworker writer zookeeper zoologist geophysicist hydrologist draftsman homemaker lifeguard deputy
    """
)
_PHRASES = (
    r"(?:bus|truck|taxi|cab|uber|lyft|school bus|delivery|tow truck|limo|van|ambulance|forklift|crane|bulldozer) (?:driver|operator)|(?:police|correction(?:s|al)?|probation|parole|loan|compliance|customs|military|army|navy) officer"
    r"|(?:opera|jazz|folk) singer|(?:army|navy|marine|air force|military|combat|war) (?:veteran|vet)|crossing guard|security guard|prison guard|lab(?:oratory)? technician|(?:graphic|web|interior|fashion|software|game) designer"
    r"|(?:software|civil|mechanical|electrical|chemical|aerospace|structural|computer|systems|data) engineer|(?:software|web|app) developer|computer programmer|(?:factory|warehouse|construction|postal|steel|mill|farm|shipyard|sanitation|social|oil|railroad|office|auto|foundry|assembly line|child ?care|daycare|sheet metal|union|utility|city) worker"
    r"|(?:real estate|insurance|travel|ticket|sports|fbi|postal) agent|(?:store|office|bank|project|account|general|restaurant|property|hotel|plant|sales|warehouse|construction|hr|human resources|it|case|shift|regional|product) manager"
    r"|(?:flight|parking|gas station) attendant|(?:mail|letter|newspaper) carrier|(?:court|sports|news) reporter|(?:high school|elementary|middle school|preschool|kindergarten|math|science|music|art|english|history|substitute|special education|yoga|piano|retired|esl|gym|first grade|second grade) teacher"
    r"|(?:auto|car|diesel|bike|aircraft|automobile) mechanic|(?:sales|claims|customer service|union|pharmaceutical) rep(?:resentative)?|(?:retail|sales|shop|store|grocery|postal|bank|file|data entry|law|court|hotel|night) clerk|(?:college|graduate|high school|medical|nursing|law|phd|university|grad) student"
    r"|(?:hair|nail) (?:stylist|technician)|hvac (?:technician|tech)|pest control technician|teaching assistant|administrative assistant|executive assistant|small business owner|business owner|stay[ -]at[ -]home (?:mom|dad|mother|father|parent)|(?:dog|cat|horse) (?:walker|groomer|trainer|breeder)|personal trainer|(?:line|short[ -]order|pastry|sous) (?:cook|chef)|day laborer|heavy equipment operator|machine operator|tool and die maker|home inspector|city planner|park ranger|air traffic controller|event planner|yoga instructor|ski instructor|football coach|basketball coach|dental hygienist|funeral director"
)
_NAMES = rf"(?:(?:retired|former|ex-?|part[ -]time|disabled|self-employed|freelance|high school|grade school) )?(?:{_PHRASES}|{'|'.join(sorted(_SINGLE))})"
_APPOSED = rf"(?i)(?:, (?:an? |the )?|\((?:an? )?|[;:] ?|\b(?:is|was|as|worked as|became|being|i'm|i am) (?:now |currently |once |formerly )?an? |years as (?:an? )?){_NAMES}\b"
_NAME_AT_END = re.compile(rf"(?:{_PHRASES}|{'|'.join(sorted(_SINGLE))})$", re.IGNORECASE)
_TAIL = re.compile(r"(?:[.,;)\"”\n]|$|\s?(?:by trade|who|at|in|for|with|until|from|and|since|x|before|but)\b)")


def read_occupation(text: str, start: int, end: int) -> Iterator[Candidate]:
    """The occupation where it is all that is said between two marks, or behind "is a"."""
    match = _NAME_AT_END.search(text, start, end)
    if match is None or not _TAIL.match(text, end, end + 12):
        return
    lead = text[start : match.start()]
    if lead.strip() in {":", ";"} and not re.match(r"[.;\"”\n]|$", text[end : end + 1]):
        return
    yield Candidate(match.start(), end, Entity.PROFESSION, Strength.WEAK)


RULES = (Rule("occupation", _APPOSED, read_occupation),)
