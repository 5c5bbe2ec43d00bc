"""Settings of the release report: what only the institution knows about a release."""

from pydantic import Field

from deid_tasks.settings.section import Section


class ReleaseSettings(Section):
    """What the release report says of recipients and their environment; what is not given, it names as missing."""

    recipients: str | None = Field(
        default=None, description="Who receives the notes, and how many people: the anticipated recipients."
    )
    purpose: str | None = Field(default=None, description="What the notes are used for.")
    access: str | None = Field(
        default=None, description="Where and how they are read: enclave, download, who grants access, how it ends."
    )
    agreements: str | None = Field(
        default=None, description="Contracts: no re-identification, no linking, no passing on; sanctions."
    )
    other_data: str | None = Field(
        default=None, description="Other data that recipients hold or can reach, with which the notes could be linked."
    )
    not_in_scope: str | None = Field(
        default=None, description="What is released beside these notes and is not judged here: images, genomes, tables."
    )
    annotators: str | None = Field(
        default=None, description="Who labelled the gold notes: profession, training, and what they were instructed."
    )
    population: int | None = Field(
        default=None,
        ge=1,
        description="People from whom the release's patients come: those of the area, or with the disease.",
    )
    contact: str | None = Field(default=None, description="Who answers for the release, and takes reports of a leak.")
    reassess_days: int = Field(default=365, ge=1, le=1_825, description="Days until the report must be made again.")
    attacked_notes: int = Field(
        default=200, ge=0, le=5_000, description="Gold notes on which the surrogate attack is run; 0 runs none."
    )
    attacked_patients: int = Field(
        default=1_000, ge=0, le=100_000, description="Patients on whom the linkage attack is run; 0 runs none."
    )
