"""What the warehouse knows of the patients of one batch."""

from collections.abc import Iterable

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.settings import InstitutionSettings


def read_patients(
    connection: Connection, settings: InstitutionSettings, patient_ids: Iterable[str]
) -> dict[str, PatientRecord]:
    """Records of the patients named; a patient that the warehouse does not know is left out."""
    wanted = sorted(set(patient_ids))
    if not wanted:
        return {}
    terms: dict[str, list[PatientTerm]] = {patient_id: [] for patient_id in wanted}
    records = {}
    with connection.cursor() as cursor:
        cursor.execute(
            f"select patient_id, kind, term from {settings.schema_name('dictionaries')}.dict_patient"
            " where patient_id = any(%s) order by patient_id, kind, term",
            (wanted,),
        )
        for patient_id, kind, term in cursor:
            terms[patient_id].append(PatientTerm(TermKind(kind), term))
        cursor.execute(
            f"select patient_id, sex, birth_date, ethnicity_hint from {settings.schema_name('staging')}.stg_patient"
            " where patient_id = any(%s)",
            (wanted,),
        )
        for patient_id, sex, birth_date, ethnicity in cursor:
            records[patient_id] = PatientRecord(
                patient_id, sex or "U", birth_date, ethnicity or "unknown", tuple(terms[patient_id])
            )
    return records
