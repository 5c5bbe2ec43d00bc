"""Names of streets and landmarks, countries, and the words of an address that name no street."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STREETS = _words("""
Abbey Acorn Adams Alder Amber Arbor Arlington Ashford Ashland Aspen Austin Bayberry Beacon Bedford Beech Belmont Birch Bluff
Bradford Briar Bristol Broadway Brook Brookside Buckeye Cambridge Canal Canyon Cardinal Carlton Cedar Center Central Chapel
Charles Cherry Chester Chestnut Church Circle Clark Clay Cleveland Clifton Clinton Clover College Columbia Concord Cooper
Copper Cottage Court Crescent Cypress Dale Dayton Delaware Dogwood Dover Eagle Eastern Edgewood Elm Evergreen Fairfield
Fairview Falcon Fern Fleming Forest Foster Franklin Fremont Front Fulton Garden Garfield Geneva George Glen Glenwood Grand
Grant Green Greenwood Grove Hamilton Harbor Harding Harrison Hartford Hawthorn Hazel Henry Hickory High Highland Hill
Hillcrest Hillside Holly Howard Hudson Jackson James Jefferson Juniper Kent King Lafayette Lake Lakeview Laurel Lawrence Lee
Liberty Lincoln Linden Locust Logan Longview Madison Magnolia Main Manor Maple Marion Market Marshall Mayfair Meadow Mill
Monroe Morgan Mulberry Myrtle Newport Oak Oakwood Olive Orange Orchard Oxford Park Parker Patterson Pearl Perry Pine
Pinecrest Pleasant Plum Poplar Prairie Prescott Primrose Prospect Quail Quarry Railroad Ridge River Riverside Rose Sage
School Shady Sheridan Sherman Sherwood Smith Spring Spruce State Summit Sunset Sycamore Taylor Terrace Tyler Union Valley
Vernon Victoria Village Vine Virginia Walnut Warren Washington Water Wayne Webster Wells West Willow Wilson Windsor Winter
Woodland Woodlawn York
""")
"""Names that streets have in most towns."""

ADDRESS_WORDS = _words("""
alley apartment apt ave avenue bldg blvd boulevard box building bypass cir circle commons county court crossing ct dr drive e
east estates expressway expy fl floor freeway fwy highway hwy interstate lane ln loop lot n ne north nw o p parkway path pike
pkwy pl place plaza po rd rm road room route row rr rte run rural s se south sq square st state ste street suite sw ter
terrace tpke trail trailer trl trlr turnpike unit us w way west xing
""")
"""Folded: kinds of street, directions, kinds of unit."""

COUNTRIES = _words("""
Argentina Australia Austria Belgium Brazil Canada Chile Colombia Denmark Ecuador Egypt Ethiopia Finland France Germany Ghana
Greece Guatemala Hungary India Indonesia Ireland Italy Japan Kenya Malaysia Mexico Morocco Nepal Netherlands Nigeria Norway
Peru Philippines Poland Portugal Romania Senegal Spain Sweden Thailand Turkey Ukraine Uruguay Vietnam Albania Armenia Bolivia
Bulgaria Cambodia Cameroon China Croatia Cuba Cyprus Haiti Honduras Iceland Iran Iraq Israel Jamaica Jordan Laos Latvia
Lebanon Nicaragua Pakistan Panama Paraguay Portugal Russia Rwanda Serbia Singapore Slovakia Slovenia Somalia Sudan
Switzerland Syria Taiwan Tanzania Trinidad Tunisia Uganda Venezuela Yemen Zambia
""")
"""Countries of one word."""

LANDMARKS = _words("""
Aspen Bluestone Cedar Clearwater Eastgate Fairhaven Granite Greenfield Highland Juniper Longview Maple Oakmont Pinecrest
Ridgeline Silver Stonebrook Summit Westbrook Willow Arrowhead Ashland Bayview Birch Boulder Cherry Copper Crystal Diamond
Echo Elk Evergreen Falcon Forest Fox Glacier Harmony Hawk Hidden Hillcrest Indian Lakeside Lincoln Lookout Meadow Mirror
Mystic Otter Pioneer Prairie Riverside Rocky Shady Spring Sunset Timber Twin Valley Walnut Whispering Wildwood
""")
"""What parks, rivers and roads are called."""
