"""The warehouse's records of the patients of one batch."""

from collections.abc import Iterable

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


def read_patients(
    connection: Connection, settings: InstitutionSettings, patient_ids: Iterable[str]
) -> dict[str, PatientRecord]:
    """Return the records of these patients by id; patients that the warehouse lacks are left out."""
    wanted = sorted(set(patient_ids))
    if not wanted:
        return {}
    terms: dict[str, list[PatientTerm]] = {patient_id: [] for patient_id in wanted}
    records = {}
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select patient_id, kind, term from {dictionaries}.dict_patient
                where patient_id = any(%s)
                order by patient_id, kind collate "C", term collate "C"
                """,
                settings,
            ),
            (wanted,),
        )
        for patient_id, kind, term in cursor:
            terms[patient_id].append(PatientTerm(TermKind(kind), term))
        cursor.execute(
            compose(
                """
                select patient_id, sex, birth_date, ethnicity_hint from {staging}.stg_patient
                where patient_id = any(%s)
                """,
                settings,
            ),
            (wanted,),
        )
        for patient_id, sex, birth_date, ethnicity in cursor:
            records[patient_id] = PatientRecord(
                patient_id, sex or "U", birth_date, ethnicity or "unknown", tuple(terms[patient_id])
            )
    return records
