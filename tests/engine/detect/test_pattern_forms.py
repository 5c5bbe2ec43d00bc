"""Forms of identifiers as American notes write them: dictated, exported, nursed; and what stands beside them and is
none.
"""

import re

import pytest

from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.text import Document

_MARK = re.compile(r"\[([A-Z_]+):((?:[^\[\]])*)\]")
DETECTOR = PatternDetector()

FORMS = {
    "names in brackets and behind a language": r"""
        Surgery ([PROVIDER:Brandt-Tanaka]) -- Ivor Lewis vs McKeown
        Neurology (Guillain-Barre) considered
        OT ref ([PROVIDER:Gwenllian]) for a rail
        PT visit (Falls) and OT review (Tomorrow)
        Interp: Hmong, [PROVIDER:Pa Y.], 55 min
        Interpreter: Somali, [PROVIDER:Amina Okafor]
        Interp: Hmong, Blood pressure high
        Interp: Hmong, [PROVIDER:Mai X.], ID 40882 55 min
    """,
    "clocks in words, hours of a schedule, Roman months, quarters, bare years": r"""
        LKW [TIME:half past nine] last night, found [TIME:quarter til 9], called [TIME:ten past four]
        curfew at the group home is [TIME:nine], needs the dose earlier
        ToD [TIME:seventeen oh-two], given at [TIME:oh six hundred]
        Feeds [TIME:8a]/[TIME:2p]/[TIME:8p], Jevity 1.5
        Pacer gen change [DATE:5.viii.17], born [DATE:12-IV-1961]
        Mammo [DATE:Q3 2020], layoffs in the [DATE:third quarter of 2021]
        PPD + while in prison in [DATE:07], never treated
        worked the Yard [DATE:'62]-[DATE:'71], colo [DATE:14], [DATE:17], due [DATE:'27]
        Rx written [DATE:l0/14], never filled
        Insists it is [DATE:1974] and wants to milk the cows
    """,
    "mileposts, units of a move, states of a licence, streets by letters": r"""
        MVC [LOCATION_OTHER:I40 mm 211], rollover [LOCATION_OTHER:I-10 MM 214], bite at [LOCATION_OTHER:Natchez Trace mp 40]
        tx [FACILITY:4N] to [FACILITY:5S] for tele, moved [FACILITY:4E]->[FACILITY:CVICU-B], ED->[FACILITY:6W]
        nurse licensed in [STATE:OR], scripts ([STATE:ME], [STATE:NH]) on PMP, PDMP [STATE:Wash]. queried
        Summers in [STATE:Me]., out of state ([STATE:Miss].) coverage
        assaulted on [STREET:MLK], zygoma fx
        seen in [LOCATION_OTHER:Ambulatory Bldg C], not on ward
        Rx sent to [ORGANIZATION:CVS on Lamar], PA needed
    """,
    "sites of a transfer, chains, short names of hospitals": r"""
        tx'd [FACILITY:UMC] -> us via ALS, SNF ([FACILITY:OLPH]) says skin intact
        dispo: back to [FACILITY:GLC] when bed avail; 2nd opinion [FACILITY:MDA] agrees
        Dispo: [FACILITY:HSR] vs home, echo done outside ([FACILITY:NEGMC])
        SW: [FACILITY:Encompass] declined, [FACILITY:Kessler] reviewing, lives at [FACILITY:Sunrise], mornings are best
        School Based Health Center visit, Anticoag Clinic note, Non-VA Meds: Aleve, [FACILITY:VA Boston] called
        WOUND CARE & HYPERBARIC CLINIC, [FACILITY:LAKESHORE HYPERBARIC CLINIC]
        [FACILITY:DaVita Palmetto] chair, [ORGANIZATION:Fresenius] Optiflux
        Delivered at [FACILITY:Women's], transferred to [FACILITY:Children's] for bilious emesis
        Cc: PCP, [FACILITY:Hem/Onc of Tidewater], Radiology of Chest
        wants d/c to [FACILITY:Ronald McD house], on Suboxone via [FACILITY:BAART], [ORGANIZATION:LifeShare] notified
    """,
    "prisons, schools, unions, military units, shops, programs": r"""
        inmate at [FACILITY:FCI Bastrop], [ORGANIZATION:TDC] pt, while in [FACILITY:Men's Central]
        5th gr [ORGANIZATION:PS 118], IEP mtg pending
        [ORGANIZATION:Local 79] form done, [ORGANIZATION:Natl Guard 1-178th], [ORGANIZATION:101st Airborne]
        scripts to [ORGANIZATION:Kinney's], ate oysters at [ORGANIZATION:Pappy's] and was ill
        [ORGANIZATION:medi-cal] active, fell on [ORGANIZATION:SEPTA], [ORGANIZATION:NYCHA] letter written
    """,
    "units of blood, lots, servers": r"""
        RBC unit [OTHER_ID:W0415 23 118206 00] hung, unit [OTHER_ID:W0381 23 114502] O neg
        vax lot [DEVICE:3CA19C7], L delt, Mirena lot [DEVICE:TU03R9K]
        wound pics in \\[URL:nas02]\wocn
    """,
    "units, branches, saints in cells, air ambulances, lots": r"""
        Unit: [FACILITY:Cedar 3], [FACILITY:Mercy Hospital]
        Unit: Surgical 3, [FACILITY:Mercy Hospital]
        at [ORGANIZATION:Kroger Pharmacy on Linwood].
        at [ORGANIZATION:Walgreens] on [DATE:Monday].
        77|204|[FACILITY:St. Cyril]|axilla
        rotor, [ORGANIZATION:BigSky LifeFlight], tail
        came via Air Evac with us
        LOT: inflectra [OTHER_ID:FX7714] x3 vials
        works as a [PROFESSION:partner] in a law firm
        a lifelong [PROFESSION:dairyman]) and a lifelong smoker
        Bypass Road, Opp. [STREET:RTO], Tumakuru - [ZIP:572 104]
        since Dr. ____[PROVIDER:man] left
        [PROVIDER:Fiona Okafor], MS, RDN, LDN, CNSC
        New Rx to [PROVIDER:Jodi Okafor] OTR/CHT
    """,
    "what a scanner misread": r"""
        [DATE:lO-8-85]  Thrown from a horse
        [DATE:ll-3-86]  Tremor, 10-l5 mg, l2-l4 hrs
        [DATE:l2-l]  Letter came. BP l52/9O. #2O
        B. [DATE:3-l4-27]. V-II-14, II-4
        [FACILITY:SANDHlLLS CLlNlC]   Mullen
        neuro, [CITY:North P1atte], p1an
        COMMUNlTY CLlNIC
    """,
    "feasts and ages of headers": r"""
        not on [DATE:Hmong New Year], told her
        AKHTAR     M   [AGE:71]     Hosp no [MRN:HW0339175]
    """,
    "weekdays and days beside a name, an hour or a study": r"""
        Pastor [PROVIDER:Okafor] [DATE:Tues] nights
        Dr. [PROVIDER:Sun] called
        Mr. [PATIENT:Okafor] A&Ox3
        Mr. [PATIENT:Okafor A.] slept
        watches the baby M-Th
        open M-F, dialysis [DATE:M-W-F]
        [DATE:Th 1/23] make-up run
        the 4th 12/40 in
        [TIME:00:40] [DATE:18/3] rv: calm
        [TIME:08:00] 7/10 pain
        mammo [DATE:11/12] (see below)
        MDT [DATE:16/1] as planned
        HBsAb [DATE:1/7] neg
        M [DATE:1/20/25] [DATE:MLK] - moved
        EKG Xmit [TIME:1401] to the hub
    """,
    "topics, faiths and headings": r"""
        RE:  SECOND-LEVEL APPEAL - EXPEDITED
        RE: [PATIENT:DENNIS OKAFOR]
        Pt Roman Catholic, anointed
        Pt [PATIENT:Roman Okafor] slept
        lunch bolus, I:C 1:12, then rest
    """,
    "dots behind labels, ages, teams, users and parks": r"""
        Room ............ [LOCATION_OTHER:3]
        Bed ...... [LOCATION_OTHER:14]
        DOB / Age ....... [DATE:Aug 8, 1971] / [AGE:53]
        MRN ............. [MRN:SYC 330 81 26]
        MRN: [MRN:SYC 330 81 26]
        MRN [MRN:12 34 56]
        hx: dm1 dx [AGE:11], hep c
        breast ca dx [DATE:11/2019], then
        secondary dx 2, primary dx 1
        panc ca, dx [AGE:61]
        PATIENT [PATIENT:Okafor, Clementine]   "Clemmie"     [AGE:91]    #[OTHER_ID:LHH-22710]
        Team: [FACILITY:Blue Team]        Meeting
        Code Blue Team came
        [LOCATION_OTHER:HWY 33 MP 149], TURNOUT
        AIR ([VEHICLE:LIFE WING 3]) DECLINED
        end dictation [INITIALS:c a w] transcribed by mlb
        [TIME:08:21] [USERNAME:mary.okafor]: stop it
        participants: kokafor (coord), [USERNAME:mary.okafor], jlim
        weave room ([LOCATION_OTHER:Mill 2]).
        back from [LOCATION_OTHER:false cape state park] [DATE:sunday]
        camping at a state park
        | PCP   [PROVIDER:Winfree] ([CITY:Rockingham])      | From
        | PCP   Tylenol      | From
        prostate 58, smooth
        [FACILITY:Program for Inherited Cancers], Brandywine Children's
        (II-1) BrCa [AGE:41], d. [AGE:47]    prostate [AGE:58], Gleason 8
    """,
    "extensions with a hyphen": r"""
        coord x. [PHONE:55-1420], then podiatry
        fluticasone x [DATE:10-2024]
    """,
    "who closed a case": r"""
        Case closed [INITIALS:LQ]  |  claim ref
        chart locked [INITIALS:RVM]
        case closed due to age
        CASE CLOSED NOW
        Case closed OR booked
    """,
    "years and ages behind a month, and MX at the end of a sentence": r"""
        mid LAD ([DATE:Nov 2019], [FACILITY:Virginia Quill Landing Medical Center])
        lives at [STREET:2019 Quill Landing]
        DOB [DATE:1993-JUN-08]   31 y
        seen [DATE:14-Mar 21], well
        in to see MX. Rocephin 1 g started
        MX [PATIENT:OKAFOR] slept
    """,
    "streets of one letter": r"""
        was at [STREET:1204 K St] before
        was at [STREET:88 N J Ave]
        gave 2 O St
    """,
    "clocks, numbers and capitals": r"""
        ER CARD [DATE:1/5] [TIME:4:56am] bed 9
        Phoned to lab [DATE:1/8] [TIME:10:59 AM]
        PHONE SLIP [DATE:1/1] [TIME:1516]
        you were here [DATE:1/6] to [DATE:1/8] for chest pain
        DL [LICENSE:D579-645-03-675]
        LDL 105, HDL 45, mg/dl 105 to 120
        Glucose 98 mg/dL 110 later
        supplement [HEALTH_PLAN:YPN719A03952]
        pacemaker [DEVICE:YAH326331S]
        WE NAMED THOUGHTS TODAY
        PROTIME CLINIC
        DISCHARGE SUMMARY [FACILITY:WILLOW CREEK HOSPITAL]
        HISTORY AND PHYSICAL [FACILITY:STONY FORK CLINIC]
        OPERATIVE REPORT - [FACILITY:ST. BRENDAN MEDICAL CENTER]
        PROGRESS NOTE PAIN CLINIC
        WENT TO THE WALK-IN AT [FACILITY:BIRCHWOOD CLINIC] AND HOME
        IV Q8H, SENT TO [ORGANIZATION:COSTCO PHARMACY]
        rm [LOCATION_OTHER:OR 2]  [PATIENT:Bennett] [AGE:31]  day 2
        NURSES NOTES   [PATIENT:YOUNG] [LOCATION_OTHER:ICU 56]   [DATE:01-10-2024]
        ct head [PATIENT:woods] [AGE:61]f neg for bleed
        a white [AGE:61]f
        Okafor NP   Closed [DATE:01-02-2024]
        Continue current regimen.Health maintenance is up to date
        seen 6/12 ago
        [FACILITY:Mercy Medical Center], [CITY:Westlake] [STATE:OR]
        [PROVIDER:Maria Okafor], RN told; [PATIENT:Maria Okafor] slept
        pain 5/10 10 minutes
        BP 1/2 normal
    """,
    "dates": r"""
        Admission Date: [DATE:09/12/93]   Discharge Date: [DATE:09/14/93]
        Report Date: [DATE:09/12/1993]
        Dictated by: [PROVIDER:MARIA OKAFOR], M.D. D: [DATE:09/12/93] T: [DATE:09/13/93]
        DD: [DATE:09/12/93]
        DT: [DATE:09/13/93]
        DV: [DATE:09/12/93]
        on [DATE:09/12] she had
        f/u [DATE:9/12/2015].
        [DATE:2015-09]
        since [DATE:9/2015]
        [DATE:12SEP1993]
        [DATE:12-SEP-93] CXR normal
        [DATE:12 Sep 93]
        [DATE:Sep-93]
        [DATE:Sept 12th]
        the [DATE:12th of September]
        the [DATE:12th of September, 1993]
        [DATE:September of 2014]
        [DATE:Septmber 12, 1993]
        [DATE:Febuary 3, 2014]
        [DATE:Febraury 2014]
        [DATE:Janurary 4]
        [DATE:Augest 4, 2014]
        [DATE:Decemeber 2013]
        [DATE:Ocotber 3rd, 2010]
        [DATE:Novemeber 2011]
        [DATE:12.09.1993]
        [DATE:12/9/'93]
        In [DATE:'93] he
        in the [DATE:1990s]
        the mid-[DATE:1980's]
        back in the [DATE:'70s]
        [DATE:Fri 9/12]
        [DATE:Friday, September 12, 2014]
        [DATE:Wed. Sept. 12]
        from [DATE:9/12/14] to [DATE:9/14/14]
        [DATE:9/12/14]-[DATE:9/14/14]
        between [DATE:March] and [DATE:May of 2012]
        during the [DATE:summer of 1999]
        [DATE:Winter 2010]
        on [DATE:Christmas Eve]
        on [DATE:New Year's Eve]
        [DATE:Mother's Day]
        [DATE:Cinco de Mayo]
        on the [DATE:5th]
        on [DATE:Sunday]
        [DATE:Tues], [DATE:Thurs], and [DATE:Sat] dialysis
        HD [DATE:MWF]
        HD [DATE:TTS]
        [DATE:20140912]
        [DATE:2014/09/12]
        [DATE:09-12-2014] [TIME:09:34 AM]
        [DATE:9/12/2014] [TIME:9:34:22 AM]
        [DATE:2014-09-12] [TIME:09:34:22.000]
        [DATE:09/12/14] [TIME:0934]
        [TIME:09:34]
        [TIME:9:34a]
        [TIME:0934 hours]
        at [TIME:9 a.m.]
        ordered [DATE:09/12/14]@[TIME:0934]
        FY [DATE:2014]
        the year [DATE:2014]
        h/o MI ([DATE:2009]), CABG ([DATE:3/2010])
        h/o MI [DATE:2009], CABG x4 [DATE:2010]
        CABG in [DATE:'09]
        s/p TAH-BSO [DATE:1987]
        Colonoscopy [DATE:2009] - normal
        mammogram [DATE:5/13] normal
        PSA [DATE:4/09] 1.2
        LMP [DATE:9/1]
        EDD [DATE:5/4/15]
        Last A1c [DATE:10/12/14] 7.2
        DOB [DATE:12/3/1943]
        dob [DATE:12-3-43]
        D.O.B.: [DATE:12/03/43]
        Born [DATE:12/3/1943]
        born in [DATE:1943]
        Date of Birth: [DATE:December 3, 1943]
        expires [DATE:09/17]
        Exp: [DATE:09/2017]
        on [DATE:10/31] and [DATE:11/1]
        K 4.5 on [DATE:10/31]
        Cr 1.2 ([DATE:10/31])
        [DATE:10/31]: Cr 1.2
        In [DATE:12/96], she
        since [DATE:2/5/90]'s visit
        week of [DATE:9/12]
        Return visit in [DATE:April].
        seen in [DATE:May]
        since [DATE:June]
        POD#3, HD 4
        yesterday
    """,
    "ages": r"""
        [AGE:92] y/o F
        [AGE:92]yo WF
        [AGE:92]-yr-old
        [AGE:92] yr old
        [AGE:92] year-old
        [AGE:92] y.o.
        [AGE:92]y M
        [AGE:ninety-two] year old
        [AGE:92] years of age
        age: [AGE:92]
        Age [AGE:92]
        Aged [AGE:92]
        [AGE:92] F
        pt is a [AGE:92]F
        [AGE:92]/F
        She is [AGE:92].
        at the age of [AGE:92]
        at age [AGE:92]
        died age [AGE:91]
        her [AGE:91] yo mother
        [AGE:3]-month-old
        [AGE:3] mo old
        [AGE:3]mo F
        [AGE:5] day old
        [AGE:18] m.o.
        [AGE:27]-week-old
        in her late [AGE:80s]
        [AGE:45] YEAR OLD MALE
        He has 3 children, [AGE:12], [AGE:14] and [AGE:17]
        Father died at [AGE:65] of MI
        mother d. [AGE:91]
        sister [AGE:45] A&W
        [AGE:45]-year-old and [AGE:47]-year-old
    """,
    "contacts": r"""
        Phone: [PHONE:(617) 555-0123]
        tel [PHONE:617 555 0123]
        tel [PHONE:555-0148]. 6) Next item. Codes 99497 +99498
        Tel. No.: [PHONE:617-555-0123]
        [PHONE:617.555.0123]
        [PHONE:617/555-0123]
        [PHONE:(617)555-0123]
        [PHONE:1-800-555-0123]
        [PHONE:+1 (617) 555-0123]
        cell: [PHONE:6175550123]
        (c) [PHONE:617-555-0123]
        (h)[PHONE:617-555-0123] (w)[PHONE:617-555-0124]
        [PHONE:617-555-0123] (home)
        call [PHONE:555-0123]
        x[PHONE:4-5432]
        x[PHONE:54321]
        Please call x[PHONE:5432]
        ext [PHONE:123]
        beeper [PAGER:12345]
        beeper #[PAGER:1234]
        bpr [PAGER:3-4567]
        b[PAGER:12345]
        p[PAGER:12345]
        pgr [PAGER:12345]
        Pager: [PAGER:617-555-0123]
        pager #[PAGER:12345]
        page [PAGER:12345]
        PIC #[PAGER:12345]
        Pager ID [PAGER:12345]
        (p) [PAGER:12345]
        [PAGER:12345] pager
        FAX [FAX:617-555-0199]
        fax to [FAX:(617) 555-0199]
        fax#: [FAX:6175550199]
        P: [PHONE:617-555-0123] F: [FAX:617-555-0199]
        Ph [PHONE:617-555-0123]
        [EMAIL:maria.okafor@hospital.org]
        e-mail [EMAIL:MOKAFOR@PARTNERS.ORG]
        maria [EMAIL:okafor at gmail dot com]
        [URL:http://www.hospital.org/patients]
        [URL:www.hospital.org]
        [URL:hospital.org]
        @mokafor on twitter
        IP [IP:192.168.1.12]
        fe80: [IP:fe80::1ff:fe23:4567:890a]
    """,
    "ids": r"""
        MRN: [MRN:1234567]
        MRN# [MRN:1234567]
        MR# [MRN:123-45-67]
        MR #: [MRN:123-45-67]
        MRN [MRN:123-45-67]
        Medical Record Number: [MRN:123-45-67-8]
        MEDICAL RECORD #: [MRN:1234567]
        Med Rec #: [MRN:M1234567]
        Medical Rec No. [MRN:1234567]
        Unit No: [MRN:123-45-67]
        Unit Number: [MRN:1234567]
        UNIT # [MRN:1234567]
        Hospital No: [MRN:1234567]
        Pt ID: [MRN:1234567]
        Patient ID: [MRN:1234567]
        MRN [MRN:MGH1234567]
        Patient #: [MRN:1234567]
        ID: [OTHER_ID:45-8890]
        ID# [OTHER_ID:45-8890]
        QT: [OTHER_ID:ML:12345]
        [OTHER_ID:ML:12345]
        TR: [INITIALS:ab] / [INITIALS:cd]
        SSN [SSN:123-45-6789]
        SSN: [SSN:123 45 6789]
        SS# [SSN:123456789]
        last 4 SSN [SSN:6789]
        Acct #: [ACCOUNT:V00012345678]
        Account Number: [ACCOUNT:1234567890]
        Acct No. [ACCOUNT:12345678]
        FIN: [ACCOUNT:123456789]
        CSN: [OTHER_ID:123456789]
        Visit #: [OTHER_ID:12345678]
        Encounter: [OTHER_ID:123456789]
        Accession #: [OTHER_ID:12345678]
        Accession Number: [OTHER_ID:S98-1234]
        Accession No: [OTHER_ID:CT-14-0012345]
        Case #: [OTHER_ID:S98-1234]
        Pathology: [OTHER_ID:S98-1234]
        path [OTHER_ID:S98-12345] showed
        ([OTHER_ID:BS:S98-1234])
        [OTHER_ID:S-98-12345]
        SURG PATH # [OTHER_ID:SP98-12345]
        Order #: [OTHER_ID:123456789]
        Batch: [OTHER_ID:4242] Index No. [OTHER_ID:ABCDE12F3]
        Job#: [OTHER_ID:123456]
        Job ID: [OTHER_ID:123456]
        Document ID: [OTHER_ID:12345678]
        JOB # [OTHER_ID:123456/789012]
        Doc#: [OTHER_ID:123456789]
        Confirmation # [OTHER_ID:123456]
        Rx # [OTHER_ID:1234567]
        Medicare # [HEALTH_PLAN:123-45-6789A]
        Medicare ID [HEALTH_PLAN:1EG4-TE5-MK72]
        MBI: [HEALTH_PLAN:1EG4TE5MK72]
        Medicaid #: [HEALTH_PLAN:12345678901]
        Member ID [HEALTH_PLAN:XYZ123456789]
        BCBS [HEALTH_PLAN:XXP123456789]
        Policy #: [HEALTH_PLAN:A12345678]
        Group #: [HEALTH_PLAN:0012345]
        Insurance ID: [HEALTH_PLAN:123456789]
        Subscriber No. [HEALTH_PLAN:123456789-01]
        License #: [LICENSE:MA12345]
        DEA #: [LICENSE:AB1234563]
        DEA# [LICENSE:BO1234567]
        NPI: [LICENSE:1234567893]
        NPI # [LICENSE:1234567890]
        Lic. No. [LICENSE:A12345]
        Driver's license [LICENSE:S12345678]
        DL# [LICENSE:S12345678]
        CLIA # [LICENSE:22D1234567]
        VIN: [VEHICLE:1HGCM82633A004352]
        license plate [VEHICLE:ABC 1234]
        plate # [VEHICLE:123 XYZ]
        Serial # [DEVICE:PJN123456H]
        S/N [DEVICE:123456]
        SN: [DEVICE:A12345]
        Model 1234, serial [DEVICE:ABC123456]
        Medtronic pacemaker serial number [DEVICE:PVY123456]
        Lot # [DEVICE:A12345B]
        UDI: [DEVICE:(01)00643169007222(17)141231(21)A213B1]
        Card # [ACCOUNT:4111 1111 1111 1111]
        credit card [ACCOUNT:4111111111111111]
        Trial ID: [OTHER_ID:07-123]
        protocol [OTHER_ID:07-123]
        Study # [OTHER_ID:00-123]
    """,
    "numbers of citizens": r"""
        AADHAAR: [SSN:3827 5640 9189]
        SIN on EI form [SSN:946 220 718]
        SIN: [SSN:531-248-672]
        NRIC [SSN:S1234567D], male
        PPSN [SSN:1234567TW]
        SA ID [SSN:800101 5009 087]
        NI number [SSN:QQ 12 34 56 C]
        the original sin of man, 12 of them
    """,
    "letters of weekdays": r"""
        |[DATE:W 3/5]|94.8|
        | [DATE:Th 3/13] | 94.8 |
        |W 3.5|
        lateral V 3/5
    """,
    "weekdays in brackets": r"""
        [DATE:05/08/2023] ([DATE:Sat])  [TIME:10.15am]
        Procedure: [DATE:13-Sep-2024] ([DATE:Fri])
        he sat (Sat) down
    """,
    "firms": r"""
        Atty for plaintiff: [ORGANIZATION:Haugen & Pell, P.A.]  [PHONE:218-555-0177]
        letter of [ORGANIZATION:Sullivan, Reyes & Park LLP] received
    """,
    "places": r"""
        Lives at [STREET:123 Main St], [CITY:Boston], [STATE:MA] [ZIP:02114]
        [STREET:123 Main Street]\n[CITY:Boston], [STATE:MA] [ZIP:02114]
        [STREET:55 Fruit Street]\n[CITY:Boston], [STATE:Massachusetts] [ZIP:02114-2696]
        [STREET:P.O. Box 123], [CITY:Salem], [STATE:MA] [ZIP:01970]
        [STREET:12 W. 34th St., Apt. 5B]
        [STREET:1234 N Lake Shore Dr #12C]
        [STREET:12345 State Route 7]
        [STREET:RR 2 Box 45]
        [STREET:77 Massachusetts Ave]
        [STREET:One Hospital Way]
        [STREET:4 Elm Ct]
        Address: [STREET:12 Oak Ridge]
        ZIP [ZIP:02114]
        lives in [CITY:Boston]
        from [CITY:Worcester], [STATE:Massachusetts]
        from [STATE:Florida]
        moved from [COUNTRY:Haiti]
        born in [COUNTRY:Italy]
        RM [LOCATION_OTHER:12B]
        Rm: [LOCATION_OTHER:5-1234]
        Bed [LOCATION_OTHER:12A]
    """,
    "names": r"""
        Patient: [PATIENT:OKAFOR, MARIA T]
        Patient: [PATIENT:OKAFOR,MARIA]
        Patient Name: [PATIENT:OKAFOR, MARIA]
        PATIENT NAME:   [PATIENT:Okafor, Maria Teresa]
        Pt: [PATIENT:Maria Okafor]
        Name: [PATIENT:Maria Okafor]
        NAME:     [PATIENT:OKAFOR, MARIA]
        [PATIENT:OKAFOR, MARIA] MRN: [MRN:1234567]
        [PATIENT:OKAFOR, MARIA] [MRN:123-45-67]
        RE: [PATIENT:Maria Okafor]
        Re: [PATIENT:OKAFOR, MARIA]
        RE: [PATIENT:OKAFOR, Maria]
        Mr. [PATIENT:Okafor] is a
        Mrs. [PATIENT:OKAFOR] was
        Ms [PATIENT:O'Brien]
        Mr. and Mrs. [PATIENT:Okafor]
        Miss [PATIENT:Okafor]
        Dear Dr. [PROVIDER:Okafor]:
        Dear [PATIENT:Maria] and [PATIENT:John],
        Dear Drs. [PROVIDER:Okafor] and [PROVIDER:Lim]:
        Attending: [PROVIDER:Maria Okafor], M.D.
        ATTENDING PHYSICIAN: [PROVIDER:MARIA OKAFOR], M.D.
        ATTENDING: [PROVIDER:OKAFOR]
        Attg: [PROVIDER:Okafor]
        PCP: [PROVIDER:Maria Okafor], MD
        PCP [PROVIDER:Okafor]
        PMD: [PROVIDER:Okafor]
        PCP is Dr. [PROVIDER:Maria Okafor]
        Primary Care Physician: [PROVIDER:MARIA OKAFOR]
        cc: [PROVIDER:Maria Okafor], M.D.
        CC: [PROVIDER:MARIA OKAFOR], M.D.
        cc: Dr. [PROVIDER:Maria Okafor]; Dr. [PROVIDER:John Lim]
        cc: [PROVIDER:Maria Okafor] MD, [PROVIDER:John Lim] MD
        Pt seen w/ Dr [PROVIDER:Smith]
        d/w Dr. [PROVIDER:Smith]
        [TIME:0622] Code STEMI. Dr [PROVIDER:Ng] spoke
        D/W [PROVIDER:Smith]
        discussed with Dr [PROVIDER:Smith] (cardiology)
        per Dr. [PROVIDER:Smith]'s note
        seen by [PROVIDER:Smith]
        Staffed with Dr. [PROVIDER:Smith]
        Surgeon: [PROVIDER:SMITH]
        SURGEON: [PROVIDER:MARIA OKAFOR], M.D.
        ASSISTANT: [PROVIDER:JOHN LIM], M.D.
        ASSISTANT(S): [PROVIDER:JOHN LIM], M.D.
        Referring MD: [PROVIDER:Okafor]
        Requesting MD: [PROVIDER:OKAFOR, MARIA]
        Consulting physician: [PROVIDER:Maria Okafor]
        Radiologist: [PROVIDER:OKAFOR, MARIA]
        REPORT ELECTRONICALLY SIGNED BY: [PROVIDER:MARIA OKAFOR] on [DATE:9/12/93]
        Signed electronically by [PROVIDER:Maria Okafor] MD
        Signed: [PROVIDER:Maria Okafor], [DATE:9/12/14]
        [PROVIDER:Maria Okafor], M.D., Ph.D.
        [PROVIDER:Maria Okafor], MD, PhD
        [PROVIDER:M. Okafor], MD
        [PROVIDER:M Okafor] MD
        [PROVIDER:Maria T. Okafor], RN
        [PROVIDER:Maria Okafor] RN
        [PROVIDER:OKAFOR, MARIA], RN
        [PROVIDER:Maria Okafor], PA-C
        [PROVIDER:Maria Okafor], ANP-BC
        [PROVIDER:Maria Okafor], CRNA
        [PROVIDER:Maria Okafor], LICSW
        [PROVIDER:Maria Okafor], DPT
        [PROVIDER:Maria Okafor], CCC-SLP
        [PROVIDER:Maria Okafor], PharmD
        [PROVIDER:Maria Okafor], MS4
        [PROVIDER:Maria Okafor], PGY-2
        [PROVIDER:Maria Okafor], PGY1 pager [PAGER:12345]
        Provider: [PROVIDER:OKAFOR, MARIA T]
        TRANSCRIBED BY: [PROVIDER:JOHN LIM]
        Transcriptionist: [INITIALS:JL]
        Thank you, [PROVIDER:Maria Okafor], MD
        Sincerely,\n\n[PROVIDER:Maria Okafor], MD
        Sincerely,\n[PROVIDER:Maria Okafor]
        Nurse [PROVIDER:Okafor]
        nurse: [PROVIDER:Maria]
        RN: [PROVIDER:Maria Okafor]
        wife [RELATIVE:Maria]
        wife, [RELATIVE:Maria],
        his wife [RELATIVE:Maria Okafor] at [PHONE:617-555-0123]
        HCP: [RELATIVE:Maria Okafor] (wife)
        HCP is his wife, [RELATIVE:Maria]
        Next of kin: [RELATIVE:Maria Okafor], [PHONE:617-555-0123]
        Emergency contact: [RELATIVE:Maria Okafor] (daughter)
        NOK: [RELATIVE:OKAFOR, MARIA]
        daughter [RELATIVE:Maria] (cell [PHONE:617-555-0123])
        his son [RELATIVE:John]'s house
        sons [RELATIVE:John] and [RELATIVE:Peter]
        spouse: [RELATIVE:Maria]
        [RELATIVE:Maria] (daughter)
    """,
    "orgs": r"""
        admitted to [FACILITY:Mercy Hospital]
        transferred from [FACILITY:St. Mary's Hospital]
        at [FACILITY:St. Elizabeth's]
        [FACILITY:Massachusetts General Hospital]
        [FACILITY:MASSACHUSETTS GENERAL HOSPITAL]
        [FACILITY:Brigham and Women's Hospital]
        [FACILITY:Beth Israel Deaconess Medical Center]
        [FACILITY:Newton-Wellesley Hospital]
        [FACILITY:Cleveland Clinic]
        [FACILITY:Mayo Clinic]
        [FACILITY:Cedars-Sinai Medical Center]
        [FACILITY:Memorial Sloan Kettering]
        [FACILITY:Riverside Internal Medicine Associates]
        [FACILITY:Oak Grove Family Practice]
        [FACILITY:Shady Oaks Nursing Home]
        [FACILITY:Golden Living Center]
        [FACILITY:VA Boston]
        works at [ORGANIZATION:Walmart]
        works for [ORGANIZATION:General Electric]
        employed by [ORGANIZATION:Raytheon]
        attends [ORGANIZATION:Lincoln High School]
        student at [ORGANIZATION:Boston College]
        graduated from [ORGANIZATION:Harvard University]
        retired from [ORGANIZATION:IBM]
        works as a [PROFESSION:carpenter]
        Occupation: [PROFESSION:retired teacher]
        OCCUPATION: [PROFESSION:Truck driver]
        retired [PROFESSION:machinist]
        is a [PROFESSION:lawyer]
    """,
    "dictated, exported and nursing forms": r"""
        Dictated By: [PROVIDER:MARIA OKAFOR], M.D. [USERNAME:VT21]
        Attending: [PROVIDER:JOHN T. LIM], M.D. [USERNAME:LB40]
        [OTHER_ID:VT212/45678] Batch: [OTHER_ID:4242] Index No. [OTHER_ID:ABC1D2F3G4] D: [DATE:09/12/93]
        T: [DATE:09/13/93] cc: 1. [PROVIDER:MARIA OKAFOR], M.D. [USERNAME:VT21]
        [report_end]
        Admission Date :\n[DATE:09/12/1993]\nReport Status :\nSigned
        Record date: [DATE:2079-05-12]
        [PATIENT:OKAFOR, MARIA]  [DATE:09/12/93]
        Date of Visit: [DATE:3/4/2079]
        Patient Name: [PATIENT:Okafor, Maria], MRN: [MRN:1234567], DOB: [DATE:3/4/1979], [AGE:45] y.o.
        Pt Name: [PATIENT:Maria Okafor]    Room/Bed: [LOCATION_OTHER:412B]
        Visit Date: [DATE:03/04/2014]\nPrimary Provider: [PROVIDER:MARIA OKAFOR], MD
        Author: [PROVIDER:Maria Okafor], MD Service: Cardiology Author Type: Physician
        Filed: [DATE:3/4/2014] [TIME:9:34 AM] Note Time: [DATE:3/4/2014] [TIME:9:30 AM] Status: Signed
        Editor: [PROVIDER:Maria Okafor], RN (Registered Nurse)
        Encounter Date: [DATE:3/4/2014]
        RUQ US (read by Rads): CBD, referred by: Onc, CT read by [PROVIDER:Okafor]
        Cosigner: [PROVIDER:John Lim], MD at [DATE:3/4/2014] [TIME:9:34 AM]
        Last edited by [PROVIDER:Okafor, Maria] at [TIME:0934]
        Ordering Physician: [PROVIDER:OKAFOR, MARIA T]
        Exam Date: [DATE:03/04/14] [TIME:0934]
        Reason for exam: chest pain  Ordered by: [PROVIDER:OKAFOR,MARIA]
        Interpreting Physician: [PROVIDER:Maria Okafor]
        I, [PROVIDER:Maria Okafor], MD, have reviewed
        I, Dr. [PROVIDER:Maria Okafor], have
        By his signature below, Dr. [PROVIDER:John Lim] attests
        Findings discussed with [PROVIDER:Maria Okafor] at [TIME:9:34 am] on [DATE:3/4/14].
        eScription document:[OTHER_ID:1-1234567] BFFocus
        DD: [DATE:03/04/14] DT: [DATE:03/05/14] DV: [DATE:03/04/14]
        [USERNAME:okafor123]
        Signed by [USERNAME:mokafor3]
        [INITIALS:MTO]/[INITIALS:jl]
        [INITIALS:MO]/[INITIALS:jl]
        Reviewed with Dr [PROVIDER:O'Connor] & Dr [PROVIDER:St. John].
        Dr.[PROVIDER:Okafor]
        DR.[PROVIDER:OKAFOR]
        dr [PROVIDER:okafor]
        Drs [PROVIDER:Okafor]/[PROVIDER:Lim]
        Dr. [PROVIDER:M. Okafor]
        Dr. [PROVIDER:Maria T. Okafor-Lim]
        Dr. [PROVIDER:van der Berg]
        Dr. [PROVIDER:Al-Hassan]
        Dr. [PROVIDER:MacDonald]
        Dr. [PROVIDER:DeLuca]
        Dr. [PROVIDER:Le]
        Dr [PROVIDER:Ng]
        DR [PROVIDER:LI] AWARE
        NP [PROVIDER:Okafor]
        PA [PROVIDER:Smith]
        RN [PROVIDER:Maria]
        MD [PROVIDER:Okafor] aware
        social worker [PROVIDER:Maria Okafor]
        Case Manager: [PROVIDER:Maria Okafor] x[PHONE:45678]
        sore toe. [PROFESSION:Rancher], says a heifer stepped on it
        Consult received [DATE:10-14]
        - Daughter, [AGE:4]: well
        - Infant [AGE:5] mos, window prophylaxis
        A/P [AGE:18] mo M, normal growth
        HOUSING: [LOCATION_OTHER:INF-3] (from [LOCATION_OTHER:D pod])
        on the [LOCATION_OTHER:I-5] run
        seen at [FACILITY:Doctors Care]
        Pt's daughter, [RELATIVE:Ann Marie], called
        Pt's wife [RELATIVE:Maria] at bedside
        dtr [RELATIVE:Maria] called
        Husband: [RELATIVE:John] [PHONE:617-555-0123]
        mother's name is [RELATIVE:Maria]
        [RELATIVE:Maria Okafor] (mother) [PHONE:617-555-0123]
        HCP [RELATIVE:Maria Okafor]
        Contact: [RELATIVE:Maria Okafor] [PHONE:617-555-0123]
        Health care proxy: [RELATIVE:Maria Okafor]
        brother-in-law [RELATIVE:John]
        Lives with wife ([RELATIVE:Maria]) and son ([RELATIVE:John])
        [PATIENT:Maria] is a [AGE:45] y/o
        [PATIENT:Okafor] is a [AGE:45] y/o
        Re: [PATIENT:OKAFOR, MARIA T]\nDOB: [DATE:3/4/43]
        RE:  [PATIENT:Maria Okafor]\nMRN:  [MRN:1234567]\nDOB:  [DATE:3/4/43]
        PATIENT: [PATIENT:MARIA OKAFOR]   ROOM: [LOCATION_OTHER:412]
        NAME: [PATIENT:OKAFOR,MARIA] UNIT NUMBER: [MRN:123-45-67]
        NAME OF PATIENT: [PATIENT:MARIA OKAFOR]
        Patient's name: [PATIENT:Maria Okafor]
        Patient ([PATIENT:Maria Okafor]) was
        This is [PATIENT:Maria Okafor], a
        [FACILITY:Riverside Medical Center]\n[STREET:12 River Rd]\n[CITY:Akron], [STATE:OH] [ZIP:44301]\nTel: [PHONE:330-555-0123] Fax: [FAX:330-555-0124]
        [FACILITY:RIVERSIDE MEDICAL CENTER]\n[STREET:12 RIVER ROAD]\n[CITY:AKRON], [STATE:OHIO] [ZIP:44301]
        transferred from OSH ([FACILITY:Mercy Hospital])
        transferred to [FACILITY:Spaulding]
        d/c to [FACILITY:Shady Oaks SNF]
        [FACILITY:Oakwood Skilled Nursing Facility]
        [FACILITY:Oakwood Rehab and Nursing Center]
        [FACILITY:Oakwood Assisted Living]
        followed at [FACILITY:Joslin Clinic]
        seen at [FACILITY:Oakwood ER]
        seen in [FACILITY:Oakwood ED]
        [FACILITY:Oakwood Surgery Center]
        at [FACILITY:Boston Children's]
        [FACILITY:Boston Children's Hospital]
        to [FACILITY:St Luke's]
        [FACILITY:St. Joseph's Hospital and Medical Center]
        works at [ORGANIZATION:Riverside Elementary School]
        is a [PROFESSION:teacher] at [ORGANIZATION:Riverside High School]
        former [PROFESSION:firefighter]
        He is a retired [PROFESSION:police officer]
        She worked as a [PROFESSION:nurse's aide]
        Job: [PROFESSION:mechanic]
        Employment: [PROFESSION:truck driver]
        lives in [CITY:Quincy] with wife
        from [CITY:New Bedford]
        visiting from [COUNTRY:Ireland]
        emigrated from [COUNTRY:Cape Verde]
        moved here from [CITY:Santo Domingo]
        Address: [STREET:12 Oak St] [CITY:Quincy] [STATE:MA] [ZIP:02169]
        Home address is [STREET:1200 N. Elm Street Apt 3], [CITY:Akron], [STATE:OH].
        [STREET:1200 NORTH ELM STREET]
        [STREET:25 Shattuck St., Suite 400]
        seen on the [DATE:14th of March]
        [DATE:Mar 3]-[DATE:Mar 5]
        [DATE:3/4]-[DATE:3/6]
        on [DATE:3.4.14]
        [DATE:3-4-2014]
        [DATE:2014.03.04]
        [DATE:04MAR14]
        [DATE:04-MAR-2014] [TIME:09:34]
        [DATE:March 2014]
        [DATE:March, 2014]
        [DATE:March of '14]
        [DATE:Mar. 4, 2014]
        [DATE:Mar 4 '14]
        [DATE:4th March 2014]
        [DATE:4 of March]
        [DATE:Tuesday 3/4]
        [DATE:Tue, 04 Mar 2014] [TIME:09:34:00] -0500
        next [DATE:Tuesday]
        [DATE:Tuesday]-[DATE:Thursday]
        [DATE:2010-2014]
        [DATE:1998], [DATE:2001] and [DATE:2003]
        MI in [DATE:1998], [DATE:2001]
        ([DATE:1998])
        age [AGE:45], [DATE:1998]:
        [DATE:1998]: MI
        [DATE:1998] - MI
        [DATE:1998] MI
        dx [DATE:1998]
        dx'd [DATE:3/98]
        [DATE:3/98] bx neg
        [DATE:10/98]-[DATE:12/98]
        last seen [DATE:10/4]
        POD 2 from [DATE:3/4] surgery
        on [DATE:Easter]
        over [DATE:Memorial Day] weekend
        the week of [DATE:March 4]
        [DATE:3/4/14] at [TIME:9:34 p.m.]
        [DATE:3/4/14] [TIME:21:34]
        [DATE:3/4/14] [TIME:9:34PM]
        SSN:[SSN:123-45-6789]
        S.S.N. [SSN:123-45-6789]
        Social Security Number [SSN:123-45-6789]
        Soc Sec No: [SSN:123456789]
    """,
    "flowsheets, shifts and lists of times": r"""
        [TIME:0930] / [TIME:1000] / [TIME:1100] / [TIME:1300]  PK drawn
        at [TIME:0800] and [TIME:1600]
        [TIME:2320]  88/p  138\n[TIME:2340]   110/64  118
        [TIME:1408] | torsades\n[TIME:1410] | VF
        Sleep: [TIME:7p]-[TIME:6a], 1 nap
        nxt appt [DATE:thurs] [TIME:7a] w/ [PROVIDER:Gus], PTA
        HBO consult [DATE:Aug 22] [TIME:9a].
        NV: [DATE:7-21] [TIME:8a] recall
        meeting [DATE:Mar 3] at [TIME:13h30]
        book for [DATE:Thu 30 May] [TIME:07h30] fasting
        w/ Dr. [PROVIDER:Okafor] [DATE:Mar 3] at [TIME:9:30]
        ADDENDUM [DATE:2024-01-22] [TIME:16 h 45]: seen
        skills group [DATE:weds]
        away til the [DATE:23rd].
    """,
    "ages in headers and of infants": r"""
        Proband: [PATIENT:Shoshana Okafor]   ([AGE:42])
        DOB [DATE:01/07/1960]   ([AGE:63])   URN 12
        DOB/Age:    [DATE:4/22/1971]  [AGE:53]             Loc: 4
        DOB [DATE:2002/11/05]   [AGE:21]
        DOB [DATE:4th May 2020], [AGE:3] years 4 months.
        DOB [DATE:3/9/17]    [AGE:7] yrs   Acct
        [PATIENT:Okafor, Maria]   [AGE:34]   [DATE:10/3/22]
        Now [AGE:5] hours old.
        [AGE:15]-MONTH WELL CHILD CHECK
        walked at [AGE:13] mo. 3 words
        stitch only, [DATE:Sept]\n3   murmur
        [PATIENT:Helen Okafor], [AGE:14]mo, brought in
        POD 61    [AGE:47] F
    """,
    "rooms, bays and theatres": r"""
        Surgical Pavilion, OR [LOCATION_OTHER:4]
        to OR [LOCATION_OTHER:1]  -- ready
        Hospital   Theatre [LOCATION_OTHER:2]   [DATE:09.10.2023]
        rm [LOCATION_OTHER:19] bed [LOCATION_OTHER:2]
        NEWS >5: bed [LOCATION_OTHER:3] only
        stayed in bed 3 days
        L&D triage bed [LOCATION_OTHER:3]
        Xfer to SICU bed [LOCATION_OTHER:11], aware
        admit LDR [LOCATION_OTHER:7]. PCN
        Chair [LOCATION_OTHER:14]
        Rm.........[LOCATION_OTHER:214-W]
        Location: Rm [LOCATION_OTHER:522] -> cath lab [LOCATION_OTHER:B]
        Outpatients Suite [LOCATION_OTHER:C].
        Bed space Pod [LOCATION_OTHER:C-12].
        Loc: [LOCATION_OTHER:mile marker 22]
        called to unit [LOCATION_OTHER:200 hall].
    """,
    "states, towns and streets": r"""
        TN lic [LICENSE:MD-0047713]
        [STATE:NY] lic. [LICENSE:N005518]
        [STATE:OK] tag [VEHICLE:LRT-905]
        [STREET:616 Warburton Ave, 2 Fl], Yonkers [STATE:N.Y.] [ZIP:10701]
        home [CITY:Burlington] [STATE:VT] [DATE:8/13]
        the store on [STREET:Elm & 5th], please
        [STREET:Flat 2/1, 17 Kiln Road]
        Approach, Hereford [ZIP:HR1 7QX]
        Longueuil (QC) [ZIP:J4K 2T5]
    """.replace("TN lic", "[STATE:TN] lic"),
    "files, parts and numbers with blanks": r"""
        attached ([OTHER_ID:IMG_2936.heic])
        [OTHER_ID:EVR_0815_01.jpg]    | [DATE:8/15/24]
        Specimens: [OTHER_ID:P24-00317-A/B].
        (lic [LICENSE:MT-P 2207])
        license RN [LICENSE:334455]
        PPO # [HEALTH_PLAN:LCP 8820 11947].
        Medicare [HEALTH_PLAN:2950 11827 4 / 2]
        NHS No: [HEALTH_PLAN:485 777 3120]
        MedBridge code [OTHER_ID:7XQ4MRLB], sent
        newborn screen card [OTHER_ID:ME 5518830].
        Unit [VEHICLE:Medic 31]   on scene
        photo uploaded under [USERNAME:glaf.derm].
        LibreView a/c [USERNAME:okafor60], seen
        subj initials [INITIALS:M-Z]   Visit
    """,
    "names beside roles and titles": r"""
        d/w Dr [PROVIDER:Aung] VR at noon
        Patient: Mme [PATIENT:Ghislaine Okafor]
        wife Aunty [RELATIVE:Jeannie], here
        County Sheriff Dep. [PROVIDER:Rooks], badge
        attending    CM [PROVIDER:Keisha T.] RN
        WOCN [PROVIDER:Heather Cross], BSN
        Leader Dr [PROVIDER:Rhodes]    Recorder [PROVIDER:N. Okafor] RN
        Airway [PROVIDER:Castle] CRNA
        Surname: [PATIENT:NGATA]   Given: [PATIENT:TE REO AROHA]
        ALIAS: [PATIENT:TRAUMA, KILO NINE]
        Anaesthetist: [PROVIDER:Fong, J] + reg
        Surgeon: [PROVIDER:Ruth Okafor], M.D.
        Mr. [PATIENT:Nicolas Okafor II], contact
        To: Dr. [PROVIDER:V] (hospitalist)
        wife [RELATIVE:dawn] called for update
        group w/ [PROVIDER:hope], lcsw
        Dtr [RELATIVE:Maria] = nurse
    """,
}

NONE = r"""
    Strength 5/5 in all extremities. 2+ DTRs. GCS 15 (E4V5M6).
    BP 120/80 mmHg, 130/70, 142/88 (right arm). HR 72. RR 16. T 98.6 F (37 C). SpO2 98% on 2L NC.
    Vitals: 98.6, 72, 120/80, 16, 98% RA
    Tmax 101.2 Tc 99.1 P 88-102 BP 118-135/62-78 RR 18-22 O2 94-96% 4L
    I/O 2400/1800. UOP 45 cc/hr. Wt 82.5 kg. BMI 31.2
    Na 138 K 4.1 Cl 102 CO2 24 BUN 18 Cr 1.1 Glu 112
    WBC 12.3 Hgb 11.2 Hct 33.5 Plt 245
    WBC-12.3* RBC-3.91* HGB-11.2* HCT-33.5* MCV-86 PLT COUNT-245
    PT 13.1 PTT 28.4 INR 1.1
    pH 7.35 pCO2 45 pO2 88 HCO3 24
    Trop 0.01 x3. CK 112, MB 3.4. BNP 1240
    EF 55-60%. LVEF 35%. RVSP 45 mmHg. LAD 80% stenosis. 3.5 x 18 mm stent
    s/p L4-L5 fusion, C5-6 ACDF, T12 fracture, L5-S1 disc
    Stage IIIB, T2N1M0, pT3pN0, Gleason 3+4=7, FIGO IIB, Grade 2/3
    BRCA1 c.68_69delAG, EGFR L858R, KRAS G12D, HLA-B27, V600E, del(17p), t(9;22)
    CPT 99213, ICD-10 E11.9, I10, Z79.4, DRG 470, HCPCS J1100
    Metoprolol 25 mg PO BID, Lasix 40 mg IV x1, lisinopril 10/12.5, Percocet 5/325 1-2 tabs q4-6h prn
    Augmentin 875/125, Bactrim 800/160, insulin 70/30 20 units qAM, NPH 10/5
    Vicodin 5/500, Advair 250/50 1 puff BID, Combivent 2 puffs QID
    D5 1/2 NS at 75 cc/hr, NS 1000 ml, 20 mEq KCl
    G3P2012, 39 2/7 weeks, 3rd degree laceration, Apgars 8/9, 9 and 9
    A&O x3, MMSE 28/30, PHQ-9 12, GAD-7 8, MoCA 24/30, pain 8/10, NIHSS 4, CAGE 0/4, mRS 2
    Visual acuity 20/20 OD 20/40 OS. VA 20/25. IOP 14/16
    CN II-XII intact. S1 S2, no S3/S4. 1+ edema. PERRLA 3-2 mm
    Epic 2018 upgrade; GE LightSpeed VCT 64; version 5.2.1; Windows 10
    CT with 5 mm slices, 100 ml Omnipaque 350. CTDIvol 12.3 mGy. DLP 540.2
    1. Hypertension 2. Diabetes 3. CAD
    #1 CHF #2 COPD
    Page 1 of 3. Continued on page 2.
    1:1 sitter. 1:1000 epinephrine. Ratio 2:1. ANA 1:160
    Compression fracture of L1, T8. C-spine 7/10
    10-15 lbs weight loss over 3-4 months; 5-10 minutes; 2-3x/week; 1-2 drinks
    Smoked 1 ppd x 30 years. 40 pack-years. Quit 10 years ago
    24/7 care. 50/50 mix. 9/10 pain. 4/5 strength. 2/6 SEM. 3/6 holosystolic murmur
    Allergies: PCN, Sulfa, ASA. NKDA
    Foley, Hickman, Swan-Ganz, Kocher, Whipple, Roux-en-Y, Billroth II, Hartmann
    Parkinson's disease, Crohn's, Alzheimer's, Bell's palsy, Graves disease, Hodgkin lymphoma, Wilson disease
    Murphy's sign negative, McBurney's point, Babinski downgoing, Romberg negative, Kernig, Brudzinski, Homan's sign
    Bruce protocol, Child-Pugh B, Wells score 3, CHADS2 2, Ranson 1, Apgar 9, Braden 18, Morse 45
    HEENT: NCAT. Neck: Supple. Lungs: CTAB. CV: RRR. Abd: Soft. Ext: No edema. Skin: Warm. Neuro: Intact
    Patient Active Problem List. Chief Complaint. Review of Systems. Social History. Discharge Medications
    DISCHARGE DIAGNOSES: CONGESTIVE HEART FAILURE. HOSPITAL COURSE: THE PATIENT WAS ADMITTED TO THE HOSPITAL
    PHYSICAL EXAMINATION: GENERAL: WELL DEVELOPED WELL NOURISHED WHITE MALE IN NO ACUTE DISTRESS
    THE PATIENT WAS TAKEN TO THE OPERATING ROOM AND PREPPED AND DRAPED IN THE USUAL STERILE FASHION
    PLEASE FOLLOW UP WITH YOUR PRIMARY CARE PHYSICIAN IN ONE WEEK
    IMPRESSION: NO ACUTE CARDIOPULMONARY PROCESS. TECHNIQUE: AXIAL IMAGES
    Left Upper Lobe Nodule. Right Lower Extremity Edema. Deep Vein Thrombosis. Atrial Fibrillation
    Do Not Resuscitate. Full Code. Regular Diet. Normal Sinus Rhythm. Home Health Aide
    Emergency Department. Intensive Care Unit. Surgical Service. Infectious Disease Consult. Physical Therapy
    Take one tablet by mouth twice daily. May repeat x1. Return if worse
    Apply to affected area. Ice 20 minutes. Elevate. Weight bearing as tolerated
    Hematocrit fell from 33 to 28. Creatinine 1.2 to 2.4. Glucose ran 90s to 200s
    Room air. Bed rest. Floor. Ward team. Unit clerk
    Lantus 20 units at bedtime, Humalog 5/5/5, NovoLog sliding scale
    Seen and examined. Agree with above. Discussed with patient and family
    In the ED she got Zofran 4 mg. In the OR
    Right knee 0-120 degrees. Flexion 5/5. Extension 4+/5
    Blood cultures 2/2 bottles GPC. Urine >100,000 E. coli. MIC 0.5
    Dose 1 of 3. Cycle 4 Day 1 FOLFOX. C1D15. Day 3/7 of abx
    March in place. May take with food. Fall risk. Spring assisted
    He may shower. She will call. Art therapy. Grace period. Hope to wean. Faith based
    Will follow. Will defer to PCP. Chase down records. Sue for damages. Mark the site. Drew labs. Bill the patient. Rich in protein
    Pt to OT, PT, SLP. MS stable. MA took vitals. PA pending. PE neg
    Dilaudid PCA 0.2/10/1.2. Fentanyl 25 mcg/hr q72h. Oxy 5-10 q4
    Femoral 2+ / popliteal 1+ / DP 2+ / PT 1+
    K 3.4 -> repleted -> 4.1. Mg 1.8. Phos 2.3
    Time in 45 minutes. 30 min spent. 25 minutes
    3 vessel CAD 70/80/90. 2 VD. LIMA to LAD
    UA: SG 1.015 pH 6.0 WBC 5-10 RBC 0-2
    Titers 1:640. HIV VL <50. CD4 350. HCV 1,250,000 IU
    - infant 3 weeks early, sister 5 months ago
    wound team in. Nurse, says the pack is dry. HCT then DAPT 18 mo.
    BREAST, LEFT, 2:00, US-GUIDED CORE. L br 2:00 mass. HST @ 11:30, macula split
    Rx: 4:00 h F180NR. Ran 3:30 h on dialysis
    gr 2a view. Stage 1a-2a. Segments 4a-5a. Cormack 2a
    Surgery of 1h30. Ran over 12h30. 4 h 20 mg given
    Apgar 3/6/8 at 1/5/10. DP 2/4 PT 2/4, CFT <3 s
    VA cc 6/7.5   6/36 ph 6/24
    Lincoff rule 1\n OCT (Spectralis) flat
    2.4 mg/kg 0/12/24 given
    recheck 2 mo, then yearly. RTC 3 mo. Prognosis < 6 mo. Rash x 4 mo. Hop by 9 mo; RTD
    Game Ready 15 min 34 F; ice. Ambient 97 F. Water 36 F
    born 3 months early
    Take 3 OR 4 TABS. Nausea OR 4 stools. (OR 4, 95% CI 2-8). OOB to chair 3 times
    Beighton 3/9. Medic 5 min out. V600E by VE1. code J2350 and 92526
    wife then called, son never here, mother just left. per floor rn. DTR Brisk. Dtr Symmetric
    OR plate 4 holes. ID tag 4 checked. OR booked
    Normal LA size. Severe AR. Mild MR, moderate AR. Reading PA chest. Head CT scan
    36 Fr CT L side. toes 4 & 5th. On Toe & 5th toe
    T2N0 Q8 2PR. D5 1NS. see report.pdf
    Seen by Dr. X, then Dr. Y today. Hx: Dep. Insomnia. Dep. Anxiety
    ALIAS: NONE, DENIES. Given: Zofran 4 mg
    insurance limits. PPO plan. license to drive
    O/E well\nHPC\nChest pain. Registrar, MCRN. Consultant, GMC
    soup, Mrs. Grass noodles, Uncle Ben's boxed rice and ham. Mrs. Dash is fine
    last winner [inaudible 0:48] no dysphagia. I/O 12h: +2240 / -2615. NOT REVIEWED BY AUTHOR
    your former partner will call. Prox fibula non-tender. NVI.\n Fracture Clinic 7-10 d
    a quarter of one tablet, ten to twelve hours, after twenty thirty minute walks
    Stage 2a/2b, grade 3a/4a. CN 2-XII intact, murmur 3/VI. In 05 min. Pain of lO/10. Morphine q4 2000 mg
    Essential hypertension I10, I48. US 12 mm 30 cm. Ketones Trace mp. ED to ICU. ED->OR
    back to MICU when stable, back to BIPAP if worse, Dispo: SNF vs home, dispo: SAR vs home, NH (DNR), outside (MRI)
    transferred to PACU -> floor. Give Children's Tylenol, refer to Women's health. It bothers me.
    These encompass all. TDC placed R IJ. SCI level T4. on PS 10/5, PS 12 over PEEP, ASQ: FM 55, PS 50
    Local 1% lidocaine, Local 10 ml. lunch at Mom's, dinner at Grandma's, drinks at Tom's house
    PDMP OK. Currently in OR. Currently in AL. licensed RN. lot 31, parking lot WEST
    Ferritin 2010. B12 1999. Vitamin D 2000 IU. Calories 1800. Fluids 2000 cc
"""


def mark(text: str) -> str:
    shown, position = "", 0
    for span in DETECTOR.detect([Document("n", text)])[0]:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


def _lines(block: str) -> list[str]:
    return [line.strip().replace("\\n", "\n") for line in block.strip().splitlines()]


@pytest.mark.parametrize("expected", [line for block in FORMS.values() for line in _lines(block)])
def test_forms_are_found(expected: str) -> None:
    assert mark(_MARK.sub(r"\2", expected)) == expected


@pytest.mark.parametrize("text", _lines(NONE))
def test_measures_scores_doses_and_codes_are_left_alone(text: str) -> None:
    assert mark(text) == text
