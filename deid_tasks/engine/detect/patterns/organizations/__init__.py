"""Facilities, employers and other organizations, and the occupations of the people who work there."""

from deid_tasks.engine.detect.patterns.organizations import (
    care_sites,
    hospitals,
    occupations,
    occupations_in_passing,
    organizations,
    public_bodies,
    sites_in_context,
)
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["RULES"]

RULES = (
    Rule("firm", organizations.FIRM_TRIGGER, organizations.read_firm),
    Rule("organization", organizations.ORGANIZATION_TRIGGER, organizations.read_organization),
    Rule("saint", organizations.SAINT_TRIGGER, organizations.read_saint),
    Rule("air ambulance", organizations.AIR_AMBULANCE_TRIGGER, organizations.read_air_ambulance),
    Rule("employer", organizations.EMPLOYER_TRIGGER, organizations.read_employer),
    Rule("profession", occupations.PROFESSION_TRIGGER, occupations.read_profession),
    Rule("hospital by letters", hospitals.LETTERS_TRIGGER, hospitals.read_hospital_by_letters),
    Rule("hospital in capitals", hospitals.CAPITALS_TRIGGER, hospitals.read_hospital_in_capitals),
    Rule("facility that was misread", hospitals.MISREAD_TRIGGER, hospitals.read_misread_facility),
    Rule("facility behind a heading", hospitals.HEADING_TRIGGER, hospitals.read_facility_behind_heading),
    Rule("known hospital", hospitals.KNOWN_HOSPITAL_TRIGGER, hospitals.read_known_hospital),
    Rule("known company", hospitals.KNOWN_COMPANY_TRIGGER, hospitals.read_known_company),
    Rule("veterans' hospital", hospitals.VETERANS_TRIGGER, hospitals.read_veterans_hospital),
    Rule("facility by its tail", hospitals.TAIL_TRIGGER, hospitals.read_facility_by_its_tail),
    Rule("letters in front of a clinic", hospitals.ACRONYM_TRIGGER, hospitals.read_facility_by_letters),
    Rule("letters of a site", hospitals.SITE_TRIGGER, hospitals.read_site),
    Rule("site of a transfer", care_sites.SITE_OF_TRANSFER_TRIGGER, care_sites.read_site_of_transfer),
    Rule("short name of a hospital", care_sites.SHORT_NAME_TRIGGER, care_sites.read_short_name),
    Rule("chain of care", care_sites.CHAIN_TRIGGER, care_sites.read_chain),
    Rule("supplier", care_sites.SUPPLIER_TRIGGER, care_sites.read_supplier),
    Rule("branch of a chain", care_sites.BRANCH_TRIGGER, care_sites.read_branch),
    Rule("practice of a region", care_sites.PRACTICE_TRIGGER, care_sites.read_practice),
    Rule("guest house", care_sites.GUEST_HOUSE_TRIGGER, care_sites.read_guest_house),
    Rule("prison", public_bodies.PRISON_TRIGGER, public_bodies.read_prison),
    Rule("authority of a state", public_bodies.STATE_BODY_TRIGGER, public_bodies.read_state_body),
    Rule("insurer that decides", public_bodies.INSURER_TRIGGER, public_bodies.read_insurer),
    Rule("school by its number", public_bodies.SCHOOL_TRIGGER, public_bodies.read_school),
    Rule("union", public_bodies.UNION_TRIGGER, public_bodies.read_union),
    Rule("military unit", public_bodies.MILITARY_TRIGGER, public_bodies.read_military_unit),
    Rule("shop by its owner", public_bodies.SHOP_TRIGGER, public_bodies.read_shop),
    Rule(
        "practice in a bracket",
        sites_in_context.PRACTICE_IN_BRACKET_TRIGGER,
        sites_in_context.read_practice_in_bracket,
    ),
    Rule("hospital of a university", sites_in_context.UNIVERSITY_TRIGGER, sites_in_context.read_university_hospital),
    Rule("walk-in clinic", sites_in_context.WALK_IN_TRIGGER, sites_in_context.read_walk_in),
    Rule("works", sites_in_context.WORKS_TRIGGER, sites_in_context.read_works),
    Rule("charity", sites_in_context.CHARITY_TRIGGER, sites_in_context.read_charity),
    Rule("police of a city", sites_in_context.POLICE_TRIGGER, sites_in_context.read_police),
    Rule("payer", sites_in_context.PAYER_TRIGGER, sites_in_context.read_payer),
    Rule("team of a colour", hospitals.TEAM_TRIGGER, hospitals.read_team),
    Rule("program of a hospital", hospitals.PROGRAM_TRIGGER, hospitals.read_program),
    Rule("trade", occupations_in_passing.TRADE_TRIGGER, occupations_in_passing.read_trade),
    Rule(
        "occupation that opens a sentence",
        occupations_in_passing.OPENING_TRIGGER,
        occupations_in_passing.read_occupation_that_opens,
    ),
    Rule(
        "occupation in a social history",
        occupations_in_passing.SOCIAL_TRIGGER,
        occupations_in_passing.read_occupation_in_social_history,
    ),
    Rule("nurse", occupations_in_passing.NURSE_TRIGGER, occupations_in_passing.read_nurse),
    Rule("occupation", occupations.OCCUPATION_TRIGGER, occupations.read_occupation),
)
"""The rules of this room."""
