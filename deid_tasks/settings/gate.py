"""Settings of the gate: the figures that must be reached before anything is published."""

from pydantic import Field, field_validator

from deid_tasks.settings.annotation import DISAGREEMENT, RENAMED_DESIGNS, MeasuredDesign
from deid_tasks.settings.section import Name, Section


class DriftSettings(Section):
    """When a run differs so much from the certified evaluation that a person must review it before it is published."""

    enabled: bool = True
    min_words: int = Field(
        default=20_000, ge=1, description="Minimum words of a note type in a run; smaller amounts are not judged."
    )
    max_ratio: float = Field(
        default=1.5,
        gt=1,
        description="Highest ratio to the baseline, or of the baseline to it, of entities per 1,000 words,"
        " share of changed words, and detector agreement.",
    )
    window_days: int = Field(
        default=30,
        ge=1,
        le=366,
        description="Days over which a note type is judged that has too few words in one run: the run and the days"
        " before it, up to this many; 1: such types are not judged.",
    )


class VolumeSettings(Section):
    """When a day has so many or so few notes that a person must review it before it is published."""

    enabled: bool = True
    weeks: int = Field(
        default=8,
        ge=1,
        le=52,
        description="Weeks before the day; the median of their same weekdays is the usual number.",
    )
    min_weeks: int = Field(
        default=3,
        ge=1,
        description="Minimum weekdays with a publication; with fewer, only a day without notes is held.",
    )
    min_ratio: float = Field(default=0.5, ge=0, le=1, description="Lowest ratio of a day's notes to the usual number.")
    max_ratio: float = Field(default=2.0, ge=1, description="Highest ratio of a day's notes to the usual number.")


class GateSettings(Section):
    """The figures that must be reached before anything is published."""

    designs: tuple[MeasuredDesign, ...] = Field(
        default=("stratified", "random"),
        min_length=1,
        description="Designs of which there must be a gold set; the figures must be reached on each of them.",
    )
    recall_min: float = Field(default=0.98, gt=0, le=1, description="For the lower confidence bound of word recall.")
    precision_min: float = Field(default=0.90, gt=0, le=1, description="For the point estimate of word precision.")
    category_min: float = Field(
        default=0.90,
        ge=0,
        le=1,
        description="For the share of identifying words that are found with the right category, as a point estimate: a"
        " clinic that is replaced as a person gives itself away. 0 asks for none.",
    )
    stratum_recall_min: float = Field(
        default=0.95,
        gt=0,
        le=1,
        description="For word recall of every note type; a type fails if the upper bound of its recall is lower.",
    )
    confidence: float = Field(default=0.95, gt=0.5, lt=1, description="One-sided confidence of the recall bound.")
    resamples: int = Field(default=1_000, ge=100, le=100_000, description="Resamples of patients behind an interval.")
    max_quarantined_share: float = Field(
        default=0.02, ge=0, le=1, description="Highest share of one run's notes that may be quarantined."
    )
    max_share_without_record: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description="Highest share of one run's notes whose patient the warehouse does not identify; they are"
        " quarantined, and count in `max_quarantined_share` too.",
    )
    drift: DriftSettings = DriftSettings()
    volume: VolumeSettings = VolumeSettings()
    signing_key: Name = Field(
        default="certificate_signing_key",
        description="Name of the secret that holds the Ed25519 private key (PEM) which signs certificates;"
        " evaluation alone needs it.",
    )
    verification_key: Name = Field(
        default="certificate_verification_key",
        description="Name of the secret that holds its public half (PEM), with which publishing verifies certificates.",
    )
    kms_key: str = Field(
        default="",
        description="Id, alias or ARN of the key in AWS KMS that signs certificates in place of `signing_key`"
        " (ECC_NIST_P256 or ECC_NIST_EDWARDS25519); evaluation needs kms:Sign and kms:GetPublicKey. `deid certificate"
        " export-key` prints its public half.",
    )
    kms: Name = Field(
        default="certificate_kms",
        description="Name of the secret that holds the KMS endpoint, region and credentials (JSON).",
    )
    certificate_max_age_days: float | None = Field(
        default=365,
        gt=0,
        description="Days after which a certificate allows nothing to be published any more: notes change, and an"
        " evaluation on last year's notes says little of this year's. `null`: it does not expire.",
    )
    approval: bool = Field(
        default=False,
        description="Whether a person must approve the first publication under new code, models, settings or harvest.",
    )
    approve_dictionaries: bool = Field(
        default=False,
        description="Whether `approval` also asks for the first publication under new dictionaries.",
    )
    data_docs: str | None = Field(
        default=None,
        description="Folder in which Great Expectations writes its Data Docs; if not given, none is written.",
    )

    @field_validator("designs", mode="before")
    @classmethod
    def _are_measured(cls, value: object) -> object:
        if isinstance(value, list | tuple) and {DISAGREEMENT, *RENAMED_DESIGNS} & {*map(str, value)}:
            raise ValueError(
                "a disagreement sample holds notes chosen for the engine's errors: its figures do not hold for others"
            )
        return value
