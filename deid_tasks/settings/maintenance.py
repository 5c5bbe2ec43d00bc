"""Settings of maintenance: how the published table and the working files stay small over years."""

from pydantic import Field, model_validator

from deid_tasks.settings.section import Section

_FILES_PER_COMMIT = 4
"""A commit must have room for some files of the wanted size, or files of other days would never be sorted together."""


class MaintenanceSettings(Section):
    """When the table is compacted, and how long former snapshots and working files stay."""

    schedule: str = Field(
        default="0 3 * * 0", description="Airflow schedule of the maintenance DAG, in `notes.timezone`."
    )
    file_megabytes: int = Field(
        default=256,
        ge=1,
        le=4_096,
        description="Size that small files of one partition are merged to. A worker needs about nine times as much"
        " memory. A changed note rewrites its file, so smaller files make changes cheaper.",
    )
    min_files: int = Field(
        default=5, ge=2, description="A partition with fewer small files stays as it is. Small: under 3/4 of the size."
    )
    commit_megabytes: int = Field(
        default=1_024,
        ge=1,
        le=16_384,
        description="Maximum size of the files that one commit replaces. Runs of the institution wait for it to"
        " publish.",
    )
    run_megabytes: int = Field(
        default=51_200, ge=1, description="Maximum size of the files that one run replaces; the next one goes on."
    )
    snapshot_days: float = Field(
        default=7,
        ge=0,
        description="Days for which readers can use former snapshots of the table, which all its institutions share."
        " A retraction ends that earlier.",
    )
    min_snapshots: int = Field(default=2, ge=1, description="Newest snapshots that stay, however old they are.")
    orphan_hours: float = Field(
        default=24,
        ge=1,
        description="Age at which a file of the table that no snapshot names is deleted. Longer than any run writes.",
    )
    run_days: float = Field(default=7, ge=0, description="Days for which the working files of a run stay.")
    text_days: float = Field(
        default=30,
        ge=0,
        description="Days for which texts of notes stay in work_dir that nothing needs: annotators' folders after their"
        " gold set was frozen, harvests, and what failed trainings and killed tasks left. Longer than a person takes to"
        " approve.",
    )
    outcome_days: int = Field(
        default=365,
        ge=30,
        description="Days for which the database holds which notes a run took up, and what became of each (`run_note`,"
        " `note_outcome`). Totals of the run stay, and the ledger holds what is published now. Longer than any run"
        " waits for a person.",
    )
    cache_days: int = Field(
        default=90,
        ge=1,
        description="Days after which an answer of the sentence cache that nobody used is deleted, and a compared"
        " system's file of answers to which none was added.",
    )
    evaluation_days: int = Field(
        default=730, ge=1, description="Days for which evaluation reports in work_dir stay; the newest ten always do."
    )

    @model_validator(mode="after")
    def _commits_hold_files(self) -> "MaintenanceSettings":
        if self.commit_megabytes < _FILES_PER_COMMIT * self.file_megabytes:
            raise ValueError(
                f"commit_megabytes must be at least {_FILES_PER_COMMIT} times file_megabytes"
                f" ({_FILES_PER_COMMIT * self.file_megabytes})"
            )
        return self
