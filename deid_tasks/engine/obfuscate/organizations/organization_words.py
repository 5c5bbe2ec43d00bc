"""What hospitals, clinics, pharmacies and employers are called: words of kind, names to draw, and chains to exchange."""

from collections import defaultdict
from functools import cache

KINDS = frozenset(
    [
        "body",
        "kidney",
        "public",
        "elementary",
        "renal",
        "bone",
        "hand",
        "foot",
        "vein",
        "birth",
        "birthing",
        "weight",
        "dermatologic",
        "national",
        "federal",
        "women's",
        "womens",
        "pavilion",
        "realty",
        "sons",
        "credit",
        "orthopedics",
        "orthopedic",
        "orthopaedics",
        "transit",
        "authority",
        "hospital",
        "hospitals",
        "hosp",
        "medical",
        "center",
        "centre",
        "ctr",
        "clinic",
        "clinics",
        "health",
        "healthcare",
        "system",
        "systems",
        "associates",
        "group",
        "institute",
        "nursing",
        "home",
        "rehabilitation",
        "rehab",
        "hospice",
        "care",
        "living",
        "assisted",
        "senior",
        "seniors",
        "retirement",
        "pharmacy",
        "drug",
        "drugs",
        "university",
        "college",
        "school",
        "schools",
        "elementary",
        "high",
        "middle",
        "academy",
        "church",
        "temple",
        "mosque",
        "synagogue",
        "parish",
        "ministries",
        "department",
        "dept",
        "office",
        "offices",
        "services",
        "service",
        "inc",
        "llc",
        "ltd",
        "corp",
        "corporation",
        "company",
        "co",
        "bank",
        "insurance",
        "construction",
        "manufacturing",
        "foods",
        "farms",
        "farm",
        "market",
        "store",
        "stores",
        "hotel",
        "restaurant",
        "foundation",
        "agency",
        "county",
        "city",
        "state",
        "community",
        "regional",
        "memorial",
        "general",
        "childrens",
        "children's",
        "pediatric",
        "pathology",
        "psychiatric",
        "endocrinology",
        "rheumatology",
        "hematology",
        "pulmonology",
        "anesthesiology",
        "cytology",
        "histology",
        "obstetrics",
        "gynecology",
        "ophthalmology",
        "otolaryngology",
        "podiatry",
        "audiology",
        "neurosurgery",
        "microbiology",
        "surgery",
        "surgical",
        "imaging",
        "radiology",
        "laboratory",
        "laboratories",
        "lab",
        "labs",
        "cancer",
        "oncology",
        "heart",
        "cardiology",
        "cardiovascular",
        "neurology",
        "dermatology",
        "urology",
        "gastroenterology",
        "nephrology",
        "pulmonary",
        "psychiatry",
        "behavioral",
        "mental",
        "eye",
        "ear",
        "vision",
        "spine",
        "joint",
        "pain",
        "wound",
        "sleep",
        "infusion",
        "dental",
        "dialysis",
        "urgent",
        "family",
        "practice",
        "physicians",
        "physician",
        "pediatrics",
        "internal",
        "medicine",
        "primary",
        "specialty",
        "outpatient",
        "inpatient",
        "ambulatory",
        "acute",
        "diagnostic",
        "diagnostics",
        "therapy",
        "physical",
        "wellness",
        "veterans",
        "of",
        "the",
        "and",
        "at",
        "for",
        "&",
        "in",
        "on",
        "district",
        "unit",
        "ward",
        "floor",
        "emergency",
        "room",
        "skilled",
        "facility",
        "campus",
        "tower",
        "building",
        "annex",
        "manor",
        "villa",
        "lodge",
        "house",
        "place",
        "brothers",
        "partners",
        "logistics",
        "trucking",
        "transport",
        "electric",
        "plumbing",
        "heating",
        "roofing",
        "landscaping",
        "studio",
        "works",
        "union",
        "local",
        "post",
        "police",
        "fire",
        "library",
        "museum",
        "airport",
        "army",
        "navy",
        "base",
        "plant",
        "factory",
        "mill",
        "mills",
        "auto",
        "motors",
        "software",
        "solutions",
        "technologies",
        "consulting",
        "design",
        "contractors",
        "cleaning",
        "security",
        "energy",
        "power",
        "water",
        "press",
        "news",
        "shelter",
        "daycare",
        "preschool",
        "kindergarten",
        "icu",
        "ed",
        "er",
        "or",
        "pacu",
        "micu",
        "sicu",
        "ccu",
        "nicu",
        "picu",
        "snf",
        "ltac",
        "ltach",
        "pcp",
        "ob",
        "gyn",
        "obgyn",
        "l&d",
    ]
)
"""Words that say what a place is, and not which."""

UNITS = frozenset(
    [
        "icu",
        "micu",
        "sicu",
        "ccu",
        "cicu",
        "nicu",
        "picu",
        "ed",
        "er",
        "or",
        "pacu",
        "snf",
        "ltac",
        "ltach",
        "l&d",
        "obgyn",
        "pcp",
        "pacu",
        "csicu",
        "tele",
        "stepdown",
    ]
)
"""Units that every hospital has: they name none."""

DIRECTIONS = ("north", "south", "east", "west")
LOCATIVES = {
    "main": ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    "central": ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    "downtown": ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    "midtown": ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    "uptown": ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    "northeast": ("Northeast", "Northwest", "Southeast", "Southwest"),
    "northwest": ("Northeast", "Northwest", "Southeast", "Southwest"),
    "southeast": ("Northeast", "Northwest", "Southeast", "Southwest"),
    "southwest": ("Northeast", "Northwest", "Southeast", "Southwest"),
}
"""Words of place that stay words of place."""

SAINTS = (
    "Agnes", "Alphonsus", "Andrew", "Anne", "Anthony", "Augustine", "Barnabas", "Benedict", "Bernard", "Bridget", "Catherine",
    "Charles", "Christopher", "Clare", "David", "Dominic", "Elizabeth", "Francis", "George", "Gerard", "Helena", "Ignatius", "James",
    "Jerome", "John", "Joseph", "Jude", "Lawrence", "Louis", "Luke", "Margaret", "Mark", "Martin", "Mary", "Matthew", "Michael",
    "Monica", "Nicholas", "Patrick", "Paul", "Peter", "Philip", "Raphael", "Rita", "Rose", "Stephen", "Theresa", "Thomas", "Ursula",
    "Vincent", "William",
)  # fmt: skip

_ONE = """
Abbott Albright Alder Allegan Amherst Arbor Arden Ashford Aspen Auburn Avalon Avery Barclay Baxter Bayview Beaumont Bedford Belmont
Bethany Bethesda Birchwood Blackwell Brentwood Bridgeport Brookside Calvary Cambridge Camden Canterbury Carlisle Carver Cedarville
Chandler Chatham Clarion Clifton Colfax Concord Cornerstone Crestview Danforth Davenport Deerfield Delmar Denton Dorchester Dover
Dunmore Eastview Edgewood Ellsworth Elmwood Emerson Evergreen Fairfax Fairmont Fairview Falmouth Fenwick Foothills Franklin Garfield
Gateway Geneva Gilford Glendale Good Grace Granite Greenbriar Greenfield Hamilton Harbor Hargrove Harmony Hartwell Hawthorne Heritage
Highland Hillcrest Holbrook Hope Horizon Immanuel Independence Inland Ironwood Irving Jamestown Jefferson Jericho Jordan Juniper
Kendall Kensington Keystone Kingsley Kirkwood Lakeland Lakeview Lakewood Landmark Laurel Lexington Liberty Lincoln Linden Livingston
Magnolia Mansfield Maplewood Marlborough Meadowbrook Mercy Meridian Milford Monroe Morningside Mountainview Newport Newton Northfield
Northgate Norwood Oakdale Oakland Oakwood Olympic Orchard Overlook Oxford Paragon Parkview Patterson Pembroke Piedmont Pinecrest
Pinnacle Pioneer Prairie Prescott Providence Quarry Queensbury Quincy Radcliffe Raleigh Redwood Ridgeview Riverbend Rockford Rosewood
Salem Samaritan Savannah Sheridan Sherwood Somerset Springdale Stanton Sterling Stonebridge Sunrise Sutton Sycamore Tabor Thornton
Timberlake Tremont Trinity Truman Tyler Underwood Union Unity Upland Valencia Valleyview Vernon Victoria Vista Wakefield Walden
Warwick Waverly Wellington Westbrook Westfield Whitfield Willowbrook Winchester Windsor Woodland Yale Yarmouth York Zion Zephyr
"""
_FIRST = """
Amber Arrow Ash Autumn Bay Bear Birch Blue Box Branch Bright Canyon Castle Cedar Clear Copper Cold Coral Crystal Deep Deer Dry Eagle
East Elk Elm Ember Evening Falcon Fair Far First Forest Fox Frost Glen Gold Grand Green Gray Half Harbor Haven Hazel Heron High
Indian Iron Island Ivy Jade Jasper Juniper Kestrel Key Kings Lake Lark Laurel Lime Little Lone Long Maple Meadow Middle Mill Moss New
North Oak Old Olive Orchard Otter Park Pebble Pine Plain Prairie Quail Quarry Queens Quiet Red River Rock Rose Sage Sand Silver Stone
Sugar Sun Swan Tall Thorn Timber Trout Twin Upper Union Valley Verde Vine Walnut West White Wild Willow Winter Yellow Yarrow Zephyr
"""
_SECOND = """
Arbor Arch Bay Bend Bluff Branch Bridge Brook Canyon Cliff Corner Cove Creek Crest Crossing Dale Dell Dunes Edge Elms Falls Fields
Ford Fork Forest Garden Gate Glen Green Grove Harbor Haven Heights Hill Hollow Inlet Island Junction Key Knoll Lake Landing Ledge
Light Meadow Mesa Mill Mount Notch Oak Oaks Orchard Park Pass Path Peak Pine Place Point Quay Quarry Reach Ridge River Rock Run
Shore Slope Spring Springs Square Summit Terrace Trail Trace Union Upland Vale Valley View Village Vista Walk Water Way Wells Woods
Yard Zion
"""

CHAINS = (
    ("CVS", "Walgreens", "Rite Aid", "Kroger", "Publix", "Safeway", "Meijer", "Costco", "Hy-Vee", "Wegmans", "Giant Eagle", "H-E-B",
     "Sam's Club", "Albertsons", "Winn-Dixie", "ShopRite", "Duane Reade", "Fred Meyer"),
    ("Walmart", "Target", "Home Depot", "Lowe's", "Costco", "Best Buy", "Kroger", "Publix", "Macy's", "Kohl's", "Walgreens", "IKEA",
     "Dollar General", "TJ Maxx", "Sears", "AutoZone", "PetSmart", "Starbucks", "McDonald's", "Wendy's", "Subway", "Burger King"),
    ("Amazon", "FedEx", "UPS", "DHL", "Google", "Microsoft", "Apple", "Intel", "IBM", "Oracle", "Dell", "Boeing", "Ford", "Toyota",
     "Honda", "General Motors", "Caterpillar", "John Deere", "Tyson", "Cargill", "Uber", "Lyft", "DoorDash", "Instacart", "Grubhub"),
    ("Aetna", "Cigna", "Humana", "UnitedHealthcare", "Anthem", "Kaiser Permanente", "Molina", "Centene", "Blue Shield", "Tricare",
     "WellCare", "Oscar Health", "Blue Cross Blue Shield", "Blue Cross", "BCBS"),
    ("Wells Fargo", "Chase", "Bank of America", "Citibank", "PNC", "US Bank", "Truist", "Capital One", "TD Bank", "Fifth Third"),
    ("U.S. Army", "U.S. Navy", "U.S. Air Force", "U.S. Marine Corps", "U.S. Coast Guard", "National Guard"),
    ("Army", "Navy", "Air Force", "Marines", "Coast Guard"),
    ("Verizon", "AT&T", "T-Mobile", "Comcast", "Spectrum", "CenturyLink"),
    ("Delta", "American Airlines", "Southwest Airlines", "United Airlines", "JetBlue", "Alaska Airlines"),
    ("Stop & Shop", "Food Lion", "Giant", "Harris Teeter", "Piggly Wiggly", "Hannaford", "Ralphs", "Vons"),
    ("OptumRx", "Express Scripts", "Caremark", "Humana Pharmacy", "Prime Therapeutics"),
    ("Jiffy Lube", "Midas", "Pep Boys", "Firestone", "Goodyear", "Valvoline", "Meineke"),
    ("Nabisco", "Kellogg", "General Mills", "Kraft", "Nestle", "Hershey", "Campbell Soup", "Frito-Lay"),
    ("YMCA", "YWCA", "Salvation Army", "Goodwill", "United Way", "Red Cross", "Habitat for Humanity"),
    ("Quest Diagnostics", "LabCorp", "BioReference Laboratories", "Sonic Healthcare"),
)  # fmt: skip
"""Names known all over the country: one gives way to another of its kind, and neither says where."""


def _by_letter(words: str) -> dict[str, tuple[str, ...]]:
    table: defaultdict[str, list[str]] = defaultdict(list)
    for word in words.split():
        table[word[0].lower()].append(word)
    return {letter: tuple(found) for letter, found in table.items()}


@cache
def single_names() -> dict[str, tuple[str, ...]]:
    """Names of one word by first letter."""
    return _by_letter(_ONE)


@cache
def first_words() -> dict[str, tuple[str, ...]]:
    """First words of two by first letter."""
    return _by_letter(_FIRST)


@cache
def second_words() -> dict[str, tuple[str, ...]]:
    """Second words of two by first letter."""
    return _by_letter(_SECOND)


@cache
def letters_of(table: str) -> tuple[str, ...]:
    """The letters that names of a table begin with, each as often as it does."""
    found = {"one": single_names, "first": first_words, "second": second_words}[table]()
    return tuple(letter for letter in sorted(found) for _ in found[letter])
