"""Parts of one town, organization or name are one identifier; two identifiers beside each other stay two."""

import pytest

from deid_tasks.engine.merge.joined_parts import join_parts
from tests.support.markup import read_markup, write_markup


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("lives in [CITY:Alamo] [CITY:Seco]", "lives in [CITY:Alamo Seco]"),
        ("from [CITY:Boston] [CITY:Cambridge]", "from [CITY:Boston] [CITY:Cambridge]"),
        ("from [CITY:Harlan] [CITY:Springs].", "from [CITY:Harlan Springs]."),
        ("filled at [CITY:Osco] #3190", "filled at [ORGANIZATION:Osco] #3190"),
        ("relief: T. Ng [PHONE:0945-1010]", "relief: T. Ng [TIME:0945-1010]"),
        ("form faxed [FAX:1010].", "form faxed [TIME:1010]."),
        ("E. Boateng, MD [USERNAME:2348]", "E. Boateng, MD [USERNAME:2348]"),
        ("Ext [PHONE:1010]", "Ext [PHONE:1010]"),
        ("call desk [PHONE:2055-2110]", "call desk [PHONE:2055-2110]"),
        ("clinic [PHONE:1155-2310]", "clinic [PHONE:1155-2310]"),
        ("call [PHONE:0955-2810]", "call [PHONE:0955-2810]"),
        ("at [FACILITY:Good] [FACILITY:Harbor Hospital]", "at [FACILITY:Good Harbor Hospital]"),
        ("[ORGANIZATION:Union Ridge School] [ORGANIZATION:District]", "[ORGANIZATION:Union Ridge School District]"),
        (
            "[FACILITY:Mercy Hospital] [FACILITY:Tarn Valley Clinic]",
            "[FACILITY:Mercy Hospital] [FACILITY:Tarn Valley Clinic]",
        ),
        (
            "[ORGANIZATION:Blue Cross Blue Shield] [ORGANIZATION:of] [STATE:Kansas]",
            "[ORGANIZATION:Blue Cross Blue Shield of Kansas]",
        ),
        (
            "[ORGANIZATION:Legal Services of Eastern] [STATE:Michigan]",
            "[ORGANIZATION:Legal Services of Eastern Michigan]",
        ),
        ("[PATIENT:Three Rivers] [ORGANIZATION:Home Care], start", "[ORGANIZATION:Three Rivers Home Care], start"),
        (
            "[RELATIVE:Maria Rivers] [ORGANIZATION:Home Care], start",
            "[RELATIVE:Maria Rivers] [ORGANIZATION:Home Care], start",
        ),
        ('place, "[FACILITY:St]. [PATIENT:Odile],"', 'place, "[FACILITY:St. Odile],"'),
        ("Unit: [FACILITY:Larch House] [LOCATION_OTHER:3]   Date", "Unit: [FACILITY:Larch House 3]   Date"),
        ("at [FACILITY:Larch House] [LOCATION_OTHER:3] x", "at [FACILITY:Larch House] [LOCATION_OTHER:3] x"),
        ("[FACILITY:Oak Hospice] [FACILITY:of Reed County]", "[FACILITY:Oak Hospice] of [LOCATION_OTHER:Reed County]"),
        ("seen at [CITY:Mesa Verde] [STATE:VA]", "seen at [FACILITY:Mesa Verde VA]"),
        ("lives in [CITY:Roanoke] [STATE:VA]", "lives in [CITY:Roanoke] [STATE:VA]"),
        ("lives in [CITY:Mesa Verde] [STATE:VA] 24001", "lives in [CITY:Mesa Verde] [STATE:VA] 24001"),
        ("INMATE: [PATIENT:PRUETT], [PATIENT:JESSE LEE]", "INMATE: [PATIENT:PRUETT, JESSE LEE]"),
        ("Pt: [PROVIDER:VANG], [PATIENT:PA NHIA]  MRN", "Pt: [PATIENT:VANG, PA NHIA]  MRN"),
        ('labeled "[PATIENT:Rich], [PATIENT:Penny]"', 'labeled "[PATIENT:Rich, Penny]"'),
        ("updated [RELATIVE:Rich], [PATIENT:Penny]", "updated [RELATIVE:Rich], [PATIENT:Penny]"),
        ("NOTE\n\nHER, [PATIENT:Mai Nhia] | F", "NOTE\n\n[PATIENT:HER, Mai Nhia] | F"),
        ("NOTE\n\nURGENT, [PATIENT:Mai Nhia] | F", "NOTE\n\nURGENT, [PATIENT:Mai Nhia] | F"),
        (
            "Insurance: Medicaid MCO, [CITY:Palmetto Bridge], ID",
            "Insurance: Medicaid MCO, [ORGANIZATION:Palmetto Bridge], ID",
        ),
        ("Insurance: none, [CITY:Palmetto Bridge]", "Insurance: none, [CITY:Palmetto Bridge]"),
        ("home from [CITY:Tyson].", "home from [ORGANIZATION:Tyson]."),
        ("home from [CITY:Houston].", "home from [CITY:Houston]."),
        ('Oriented to self, "[PATIENT:Laredo]".', 'Oriented to self, "[CITY:Laredo]".'),
        ('Oriented to self, "[PATIENT:Madison]".', 'Oriented to self, "[PATIENT:Madison]".'),
        ('[PATIENT:Ana Laredo]: self, "[PATIENT:Laredo]".', '[PATIENT:Ana Laredo]: self, "[PATIENT:Laredo]".'),
        ("PNC: [FACILITY:Pruitt CNM]. 14 visits", "PNC: [PROVIDER:Pruitt] CNM. 14 visits"),
        ("at [FACILITY:Cedar Ridge CNM]", "at [FACILITY:Cedar Ridge CNM]"),
    ],
)
def test_parts_of_one_identifier_are_joined(marked: str, expected: str) -> None:
    text, spans = read_markup(marked)
    joined = join_parts(text, spans)
    assert write_markup(text, joined) == expected
    assert join_parts(text, joined) == joined
