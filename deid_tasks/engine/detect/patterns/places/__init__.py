"""Streets, cities, states, countries, postal codes, rooms and roads."""

from deid_tasks.engine.detect.patterns.places import cities, countries, rooms, states, streets, towns, wards
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["FORM_TABLES", "RULES"]

RULES = (
    Rule("street", streets.STREET_TRIGGER, streets.read_street),
    Rule("corner of two streets", streets.CORNER_TRIGGER, streets.read_corner),
    Rule("street with a rare suffix", streets.RARE_STREET_TRIGGER, streets.read_rare_street),
    Rule("street by letters", streets.LETTERS_TRIGGER, streets.read_street_by_letters),
    Rule("post office box", streets.BOX_TRIGGER, streets.read_box),
    Rule("landmark", streets.LANDMARK_TRIGGER, streets.read_landmark),
    Rule("block and flat", streets.BLOCK_TRIGGER, streets.read_block),
    Rule("city behind a house", cities.BEHIND_HOUSE_TRIGGER, cities.read_city_behind_house),
    Rule("city and state", cities.CITY_AND_STATE_TRIGGER, cities.read_city_and_state),
    Rule("state", states.STATE_TRIGGER, states.read_state_name),
    Rule("state of a licence", states.LICENSED_TRIGGER, states.read_state_of_license),
    Rule("abbreviated state", states.ABBREVIATED_TRIGGER, states.read_abbreviated_state),
    Rule("state of an authority", states.BODY_OF_STATE_TRIGGER, states.read_state_of_body),
    Rule("code of a state", states.STATE_CODE_TRIGGER, states.read_state_code),
    Rule("town and state", cities.TOWN_AND_STATE_TRIGGER, cities.read_town_and_state),
    Rule("town and province", cities.TOWN_AND_PROVINCE_TRIGGER, cities.read_town_and_province),
    Rule("country", countries.COUNTRY_TRIGGER, countries.read_country),
    Rule("county", countries.COUNTY_TRIGGER, countries.read_county),
    Rule("postcode", countries.POSTCODE_TRIGGER, countries.read_postcode),
    Rule("PIN code of India or postcode of Singapore", countries.PIN_TRIGGER, countries.read_pin),
    Rule("ZIP code", countries.ZIP_TRIGGER, countries.read_zip),
    Rule("room", rooms.ROOM_TRIGGER, rooms.read_room),
    Rule("ward", rooms.WARD_TRIGGER, rooms.read_ward),
    Rule("named ward", rooms.NAMED_WARD_TRIGGER, rooms.read_named_ward),
    Rule("ward by its side", wards.SIDE_WARD_TRIGGER, wards.read_ward_by_side),
    Rule("ward of a nurse", wards.CALLED_WARD_TRIGGER, wards.read_ward_of_nurse),
    Rule("bay", wards.BAY_TRIGGER, wards.read_bay),
    Rule("beds of a board", wards.BOARD_TRIGGER, wards.read_beds_of_board),
    Rule("room of a building", wards.BUILDING_ROOM_TRIGGER, wards.read_room_of_building),
    Rule("laboratory by its number", wards.LAB_TRIGGER, wards.read_lab),
    Rule("named team", wards.TEAM_TRIGGER, wards.read_named_team),
    Rule("housing in a jail", rooms.HOUSING_TRIGGER, rooms.read_housing),
    Rule("tower", rooms.TOWER_TRIGGER, rooms.read_tower),
    Rule("units of a move", rooms.MOVE_TRIGGER, rooms.read_move),
    Rule("road", rooms.ROAD_TRIGGER, rooms.read_road),
    Rule("park in small letters", rooms.PARK_TRIGGER, rooms.read_park_in_small_letters),
    Rule("town", towns.TOWN_TRIGGER, towns.read_town),
    Rule("town that was misread", towns.MISREAD_TRIGGER, towns.read_misread_town),
)
"""The rules of this room."""

FORM_TABLES = (rooms.ROOMS,)
"""The tables of forms, whose examples are tests."""
