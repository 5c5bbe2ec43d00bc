"""The policies that have a name: what each form of an identifier becomes, and the paragraph that says so.

A form that a rule does not clearly leave is replaced. ``expert`` has no table: ``policy.group`` and ``policy.keep``
decide by entity, as before there were forms.

Sources: 45 CFR 164.514 and the guidance of the Department of Health and Human Services of 26 November 2012 on
de-identification; Uzuner, Luo and Szolovits, JAMIA 2007 (i2b2 2006); Stubbs and Uzuner, J Biomed Inform 2015 (i2b2
2014); Regulation (EU) 2016/679 (GDPR).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from deid_tasks.core.forms import IdentifierForm

PolicyName = Literal["expert", "safe-harbor", "limited-dataset", "i2b2-2014", "i2b2-2006", "gdpr"]
FormAction = Literal["keep", "surrogate", "mask", "remove"]
"""What a policy makes of a form. A surrogate is whatever ``obfuscate.modes`` puts in the place of its entity."""

EXPERT: PolicyName = "expert"
F = IdentifierForm
_TITLES_OUT: dict[str, Any] = {"titles": "out", "age_units": "out"}


class FormRule(NamedTuple):
    """What becomes of one form, and why."""

    action: FormAction
    paragraph: str


@dataclass(frozen=True)
class Preset:
    """A policy that has a name."""

    name: PolicyName
    title: str
    rules: Mapping[IdentifierForm, FormRule]
    """Empty, or a rule for every form."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of the section ``policy`` under this preset, where they differ from those of ``expert``."""
    not_listed: frozenset[IdentifierForm] = frozenset()
    """Forms that are replaced although the rule does not name them: settings may leave them in the text, and are warned
    of it. All other forms that are replaced are identifiers by the rule's own words, and may not be left."""
    is_for_scores: bool = False
    """Whether it is what a corpus marks, and no rule that text may be released under."""

    def forbids_keeping(self, form: IdentifierForm) -> bool:
        """Whether settings that leave ``form`` in the text contradict the rule's own list of identifiers."""
        rule = self.rules.get(form)
        return rule is not None and rule.action != "keep" and form not in self.not_listed and not self.is_for_scores


def _preset(
    name: PolicyName,
    title: str,
    kept: dict[str, tuple[IdentifierForm, ...]],
    replaced: dict[str, tuple[IdentifierForm, ...]],
    masked: dict[str, tuple[IdentifierForm, ...]] | None = None,
    *,
    not_listed: tuple[IdentifierForm, ...] = (),
    is_for_scores: bool = False,
    **settings: Any,
) -> Preset:
    """Build a preset; ``kept``, ``replaced`` and ``masked`` list forms by the paragraph that decides of them."""
    groups: tuple[tuple[FormAction, dict[str, tuple[IdentifierForm, ...]]], ...] = (
        ("keep", kept),
        ("surrogate", replaced),
        ("mask", masked or {}),
    )
    rules = {
        form: FormRule(action, paragraph)
        for action, by_paragraph in groups
        for paragraph, forms in by_paragraph.items()
        for form in forms
    }
    ordered = {form: rules[form] for form in IdentifierForm}
    defaults = MappingProxyType({"keep": (), **settings})
    return Preset(name, title, MappingProxyType(ordered), defaults, frozenset(not_listed), is_for_scores)


_SH = "164.514(b)(2)(i)"
_SAFE_HARBOR = _preset(
    "safe-harbor",
    "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)",
    kept={
        f"{_SH}(B): smaller than a state only": (F.STATE, F.COUNTRY),
        f"{_SH}(B)(1): first three digits of more than 20,000 people": (F.ZIP_3,),
        f"{_SH}(C): ages over 89 only": (F.AGE_UNDER_90,),
        f"{_SH}(C): except year": (F.YEAR,),
        f"{_SH}(C): names no date; counts from one that is itself replaced": (F.RELATIVE_DAY,),
    },
    replaced={
        f"{_SH}(A)": (F.PATIENT, F.RELATIVE, F.INITIALS),
        f"{_SH}(A): may be a relative or a household member": (F.CLINICIAN,),
        f"{_SH}(A): employers": (F.ORGANIZATION,),
        f"{_SH}(B)": (F.STREET, F.CITY, F.ZIP, F.POSTAL_CODE, F.LANDMARK),
        f"{_SH}(B): tells the town": (F.FACILITY,),
        f"{_SH}(B)(2): becomes 000": (F.RESTRICTED_ZIP_3,),
        f"{_SH}(B): may be smaller than a state": (F.REGION_UNCLEAR, F.COUNTRY_UNCLEAR),
        f"{_SH}(C): category of 90 or older": (F.AGE_90_OR_OVER,),
        f"{_SH}(C): year indicative of an age over 89": (F.BIRTH_YEAR_OVER_89,),
        f"{_SH}(C)": (F.MONTH_AND_YEAR, F.MONTH, F.FULL_DATE, F.HOLIDAY, F.SEASON),
        f"{_SH}(C): more specific than the year": (F.WEEKDAY, F.RELATIVE_DATE, F.TIME_OF_DAY),
        f"{_SH}(D)": (F.PHONE, F.PAGER),
        f"{_SH}(E)": (F.FAX,),
        f"{_SH}(F)": (F.EMAIL,),
        f"{_SH}(G)": (F.SSN,),
        f"{_SH}(H)": (F.MRN,),
        f"{_SH}(I)": (F.HEALTH_PLAN,),
        f"{_SH}(J)": (F.ACCOUNT,),
        f"{_SH}(K)": (F.LICENSE,),
        f"{_SH}(L)": (F.VEHICLE,),
        f"{_SH}(M)": (F.DEVICE,),
        f"{_SH}(N)": (F.URL,),
        f"{_SH}(O)": (F.IP,),
        f"{_SH}(P)": (F.BIOMETRIC,),
        f"{_SH}(R)": (F.OTHER_ID, F.USERNAME),
        f"{_SH}(R): may be unique, as the guidance shows": (F.PROFESSION,),
    },
    masked={
        f"{_SH}(C): may be over 89": (F.AGE_UNCLEAR,),
        f"{_SH}(C): cannot be read": (F.DATE_UNCLEAR, F.TIME_UNCLEAR),
    },
    not_listed=(F.CLINICIAN, F.FACILITY, F.REGION_UNCLEAR, F.COUNTRY_UNCLEAR, F.PROFESSION, F.TIME_OF_DAY),
    kept_zip_digits=3,
    age_form="or_older",
)

_LDS = "164.514(e)(2)"
_LIMITED = _preset(
    "limited-dataset",
    "HIPAA limited data set, 45 CFR 164.514(e)(2); needs a data use agreement",
    kept={
        f"{_LDS}(ii): town, state and ZIP": (F.CITY, F.STATE, F.ZIP, F.ZIP_3, F.RESTRICTED_ZIP_3),
        f"{_LDS}: larger than a state": (F.COUNTRY,),
        f"{_LDS}: not listed": (
            *(F.AGE_UNDER_90, F.AGE_90_OR_OVER, F.YEAR, F.BIRTH_YEAR_OVER_89, F.SEASON, F.MONTH),
            *(F.MONTH_AND_YEAR, F.FULL_DATE, F.WEEKDAY, F.RELATIVE_DATE, F.RELATIVE_DAY, F.HOLIDAY),
            *(F.TIME_OF_DAY, F.PROFESSION),
        ),
    },
    replaced={
        f"{_LDS}(i)": (F.PATIENT, F.RELATIVE, F.INITIALS),
        f"{_LDS}(i): may be a relative or a household member": (F.CLINICIAN,),
        f"{_LDS}(i): employers": (F.ORGANIZATION, F.FACILITY),
        f"{_LDS}(ii)": (F.STREET, F.LANDMARK),
        f"{_LDS}(ii): no ZIP": (F.POSTAL_CODE,),
        f"{_LDS}(ii): may be more than a town or a state": (F.REGION_UNCLEAR, F.COUNTRY_UNCLEAR),
        f"{_LDS}(iii)": (F.PHONE, F.PAGER),
        f"{_LDS}(iv)": (F.FAX,),
        f"{_LDS}(v)": (F.EMAIL,),
        f"{_LDS}(vi)": (F.SSN,),
        f"{_LDS}(vii)": (F.MRN,),
        f"{_LDS}(viii)": (F.HEALTH_PLAN,),
        f"{_LDS}(ix)": (F.ACCOUNT,),
        f"{_LDS}(x)": (F.LICENSE,),
        f"{_LDS}(xi)": (F.VEHICLE,),
        f"{_LDS}(xii)": (F.DEVICE,),
        f"{_LDS}(xiii)": (F.URL,),
        f"{_LDS}(xiv)": (F.IP,),
        f"{_LDS}(xv)": (F.BIOMETRIC,),
        f"{_LDS}: not listed, may be one of (vi) to (xii)": (F.OTHER_ID, F.USERNAME),
    },
    masked={f"{_LDS}: cannot be read, may be something else": (F.AGE_UNCLEAR, F.DATE_UNCLEAR, F.TIME_UNCLEAR)},
    not_listed=(F.CLINICIAN, F.FACILITY, F.REGION_UNCLEAR, F.COUNTRY_UNCLEAR, F.POSTAL_CODE, F.OTHER_ID, F.USERNAME),
    max_kept_age_years=120,
)

_NUMBERS = (F.SSN, F.MRN, F.HEALTH_PLAN, F.ACCOUNT, F.LICENSE, F.VEHICLE, F.DEVICE, F.BIOMETRIC, F.OTHER_ID)
_MOMENTS = (F.MONTH_AND_YEAR, F.MONTH, F.FULL_DATE, F.HOLIDAY, F.SEASON, F.WEEKDAY, F.RELATIVE_DATE)
_I2B2_2014 = _preset(
    "i2b2-2014",
    "what the i2b2/UTHealth 2014 corpus marks; for scores, not for release",
    kept={
        "DATE: no time of day": (F.TIME_OF_DAY, F.TIME_UNCLEAR),
        "DATE: no time that counts from another": (F.RELATIVE_DAY,),
    },
    replaced={
        "NAME: PATIENT": (F.PATIENT, F.RELATIVE),
        "NAME: DOCTOR": (F.CLINICIAN, F.INITIALS),
        "NAME: USERNAME": (F.USERNAME,),
        "PROFESSION": (F.PROFESSION,),
        "LOCATION": (
            *(F.STREET, F.CITY, F.STATE, F.REGION_UNCLEAR, F.COUNTRY, F.COUNTRY_UNCLEAR, F.ZIP, F.ZIP_3, F.POSTAL_CODE),
            *(F.RESTRICTED_ZIP_3, F.LANDMARK, F.FACILITY, F.ORGANIZATION),
        ),
        "AGE: all ages": (F.AGE_UNDER_90, F.AGE_90_OR_OVER, F.AGE_UNCLEAR),
        "DATE: years too": (F.YEAR, F.BIRTH_YEAR_OVER_89),
        "DATE": (*_MOMENTS, F.DATE_UNCLEAR),
        "CONTACT": (F.PHONE, F.FAX, F.PAGER, F.EMAIL, F.URL, F.IP),
        "ID": _NUMBERS,
    },
    is_for_scores=True,
    **_TITLES_OUT,
)

_I2B2_2006 = _preset(
    "i2b2-2006",
    "what the i2b2 2006 corpus marks; for scores, not for release",
    kept={
        "Ages: above 90 only": (F.AGE_UNDER_90,),
        "Dates: all elements except the year": (F.YEAR,),
        "not marked": (F.TIME_OF_DAY, F.TIME_UNCLEAR, F.RELATIVE_DAY, F.PROFESSION, F.ORGANIZATION),
    },
    replaced={
        "Patients, their proxies and family": (F.PATIENT, F.RELATIVE),
        "Doctors": (F.CLINICIAN, F.INITIALS),
        "Hospitals": (F.FACILITY,),
        "Locations": (
            *(F.STREET, F.CITY, F.STATE, F.REGION_UNCLEAR, F.COUNTRY, F.COUNTRY_UNCLEAR),
            *(F.ZIP, F.ZIP_3, F.POSTAL_CODE, F.RESTRICTED_ZIP_3, F.LANDMARK),
        ),
        "Ages": (F.AGE_90_OR_OVER, F.AGE_UNCLEAR),
        "Dates": (*_MOMENTS, F.DATE_UNCLEAR, F.BIRTH_YEAR_OVER_89),
        "Phone numbers": (F.PHONE, F.FAX, F.PAGER),
        "IDs": (*_NUMBERS, F.USERNAME, F.EMAIL, F.URL, F.IP),
    },
    is_for_scores=True,
    **_TITLES_OUT,
)

_GDPR = _preset(
    "gdpr",
    "GDPR, articles 4(1) and 4(5): everything that may single a person out",
    kept={},
    replaced={
        "4(1): a name": (F.PATIENT, F.RELATIVE, F.INITIALS, F.CLINICIAN),
        "4(1): an identification number": _NUMBERS,
        "4(1): location data": (
            *(F.STREET, F.CITY, F.STATE, F.REGION_UNCLEAR, F.COUNTRY, F.COUNTRY_UNCLEAR, F.ZIP, F.ZIP_3, F.POSTAL_CODE),
            *(F.RESTRICTED_ZIP_3, F.LANDMARK, F.FACILITY),
        ),
        "4(1): an online identifier": (F.USERNAME, F.EMAIL, F.URL, F.IP),
        "4(1): economic or social identity": (F.PROFESSION, F.ORGANIZATION),
        "recital 26: means reasonably likely to be used": (
            *(F.PHONE, F.FAX, F.PAGER, F.AGE_UNDER_90, F.AGE_90_OR_OVER, F.YEAR, F.BIRTH_YEAR_OVER_89),
            *(*_MOMENTS, F.RELATIVE_DAY, F.TIME_OF_DAY),
        ),
    },
    masked={"recital 26: cannot be read": (F.AGE_UNCLEAR, F.DATE_UNCLEAR, F.TIME_UNCLEAR)},
    not_listed=(
        *(F.STATE, F.COUNTRY, F.REGION_UNCLEAR, F.COUNTRY_UNCLEAR, F.FACILITY, F.CLINICIAN, F.PROFESSION),
        *(F.ORGANIZATION, F.AGE_UNDER_90, F.AGE_90_OR_OVER, F.YEAR, F.BIRTH_YEAR_OVER_89, *_MOMENTS),
        *(F.RELATIVE_DAY, F.TIME_OF_DAY),
    ),
    age_groups=(0, 5, 13, 20, 40, 60, 80),
    age_form="or_older",
)

PRESETS: Mapping[PolicyName, Preset] = MappingProxyType(
    {
        EXPERT: Preset(EXPERT, "everything that policy.group and policy.keep name", MappingProxyType({})),
        **{one.name: one for one in (_SAFE_HARBOR, _LIMITED, _I2B2_2014, _I2B2_2006, _GDPR)},
    }
)
"""The policies by name."""
