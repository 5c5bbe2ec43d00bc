"""Word lists that rules share: what is capitalised in notes and is yet no one's name."""


def word_set(listed: str) -> frozenset[str]:
    """The words of ``listed``, which stand between white space."""
    return frozenset(listed.split())


MEDICAL_ENDINGS = (
    "itis", "oma", "emia", "osis", "pathy", "tension", "betes", "algia", "uria", "plasia", "trophy", "ectomy", "scopy", "gram", "graphy",
    "ology", "ologist", "iatry", "iatrist", "therapy", "plegia", "paresis", "rrhea", "rrhage", "statin", "pril", "sartan", "olol", "azole",
    "cillin", "mycin", "cycline", "pine", "idone", "oxacin", "dipine", "parin", "zepam", "zolam",
)  # fmt: skip

NOT_NAMES = word_set(
    """
    a about abdomen abnormal above absent acute add address admission admit admitted adult advised after age aged agreed agrees albuterol all allergies allergy alert also am an
    and any appears appointment april are as asks asked aspirin assessment assisted assistance at attending august aunt aware back bed been before being below benign bid bilateral birth
    bleeding blood board bp breast brother but by calcium call called calls came can cancer cannot cardiac cardiology care caregiver case cc center certified changed chart chest chief chronic clear
    clinic clinical clinically colon come comes complaint complains completed confirmed consent consult consulted consultation contact continue continues copd coronary
    could course cousin coumadin covid ct currently current dad daily date daughter day days december deceased declined declines denied denies dental department dermatology describes diabetes diabetic
    diagnosis did died discharge discharged discussed disease division do does dob doctor doing dose drinks drug due during each echo ed education emergency endocrinology ent er
    evaluated evaluation exam examination explained family father february feels feeling fell female fh fever field final financial follow followed following followup for found friday friend from full
    gastroenterology general given goes going good got had has have he headache health heart help hematology her here high him his history hiv home hospital hospitalist house how
    htn husband i icu id if ill imaging impression in including independent indication infection inpatient instructed insulin instructions internal interpreter into is it
    its january july june kidney lab labs last lasix left let like lives living local location lung lungs made main male march married may me md medical medicare medication medications
    medicaid medicine meds mental met metformin mom monday month months morning mother mr mri mrn mrs ms my name nausea nephew nephrology neuro neurology neurosurgery new next niece no non none nor
    normal not note noted notes notified november now np nurse nursing obstetrics occupational october of office oh ok old on oncology one only onset open operative
    ophthalmology or order ordered orders ortho orthopedic orthopedics other our out outpatient over pa pain painful palliative parent parents partner past pathology patient patients pediatric pediatrics
    pending per pharmacist pharmacy phone physical physician physicians plan please pmh pneumonia podiatry positive possible post pre present presented presenting presents prior
    primary procedure procedures progress provider providers provided psychiatric psychiatry pt pulmonary pulmonology questions radiology reached reason recent recently recommend recommended
    recommends referral referred referring regarding relative rehab renal repeat report reported reports requested requests requesting resident result results returned review
    reviewed rheumatology right rn room rx said sat saturday saw say says school seen seizure self september service services severe sex she should sister since skin social
    son speak speaks specialist spoke spouse staff stat states stated status stent still stop stopped stroke substance such sunday surgeon surgery surgical
    symptoms takes taking team tel telephone test than thank thanks that the their them then there therapist therapy these they this those thursday time title to today told
    tomorrow took transfer transplant treatment triage trauma tuesday tube twice two type ultrasound uncle under unit unknown unremarkable until up upon urgent urology us use uses
    vaccine vascular verbalized very via visit visited visits vitals wait want wanted wants ward warfarin was wednesday week weeks well went were what when where which while who
    whose wife will wishes with without work works would wound x year years yes yesterday you your alive healthy smoker smoking alcohol hypertension asthma depression anxiety
    dementia obesity arthritis hyperlipidemia cad chf mi cva dm bipolar schizophrenia autism allergic sudden early late colorectal prostate ovarian bladder stomach liver brain pancreatic
    none negative reportedly tested lived helps smokes used passed both only younger older maternal paternal side aid agency manager coordinator director assistant supervisor officer
    chaplain counselor worker student intern fellow surgeon's anesthesia anesthesiologist radiologist pathologist cardiologist neurologist dentist covering overnight fax pager cell mobile email web
    signed dictated electronically authenticated edited verified reviewed transcribed performed ordered collected specimen received accession interpreted read by name names number type mother's father's
    dr drs contin emergent claims examiner tech pcp collateral passenger operating brief adat oob vna
    asap apparently unfortunately fortunately initially previously additionally eventually subsequently otherwise however therefore technician care determination disability maintenance
    mme mlle madame monsieur aunty auntie mama dep wocn cwon acm cm recorder airway scribe circulator timekeeper compressor leader sheriff coroner
    lpn cna pta ota rt slp msw lcsw pharmd phd do dpm dds od facp facs fnp aprn crnp cnm crna pac ma emt rd ldn
    """
)
"""Lower-case words that no rule takes as a name on their own."""

GENERIC_PLACE_WORDS = word_set(
    """
    the a an our your his her this that local nearest outside another any each same day night new old main central general community regional county city state national university memorial
    children's childrens women's womens men's veterans urgent primary care family internal medicine emergency outpatient inpatient surgery surgical medical health healthcare hospital clinic clinics center centre
    pharmacy coumadin anticoagulation warfarin inr pain wound sleep memory stroke heart failure cardiac cardiology cardiovascular vascular neurology neurosurgery orthopedic orthopedics ortho oncology cancer breast
    hematology pulmonary renal dialysis nephrology urology gi gastroenterology endocrine endocrinology diabetes diabetic rheumatology dermatology infectious disease id hiv psychiatry psychiatric behavioral mental
    pediatric pediatrics eye ophthalmology ent dental dentistry podiatry foot ankle hand spine sports physical therapy occupational rehab rehabilitation infusion transplant liver hepatology allergy immunology travel
    vaccine walk-in walk in continuity resident residency fellows faculty teaching tertiary referring previous skilled nursing home assisted living senior long term acute subacute hospice palliative adult geriatric
    lipid hypertension weight loss bariatric headache epilepsy movement disorder device pacemaker well woman ob gyn obgyn obstetrics prenatal maternity fertility surgicare ambulatory tb std sti covid flu retail specialty
    mail order compounding discharge preferred patient's patient pharmacy: at to from in of for and with by per via call seen admitted transferred pt she he they was is has went go follow follow-up followup contact
    contacted please send sent fax dr drs mr mrs ms fall risk voice swallow hearing audiology genetics genetic lymphedema hernia thyroid asthma copd tobacco cessation chronic pre-op preop pre post op screening testing
    elementary middle high school grade college church post-transplant pre-transplant post-acute post-surgical pre-surgical pre-admission
    on after before during when while if then now also may will can should would could
    """
)
"""Words that alone do not make a facility's or an organisation's name."""
