"""The cloud services, on answers in the shapes that their references document; no account is used."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import boto3
import pytest
from botocore.stub import ANY, Stubber

import deid_tasks.comparison
from deid_tasks.comparison.cloud.__main__ import SERVICES, dry_run
from deid_tasks.comparison.cloud.aws import AwsSettings, ComprehendMedical
from deid_tasks.comparison.cloud.azure import AzureLanguage, AzureSettings
from deid_tasks.comparison.cloud.google import GoogleSettings, SensitiveDataProtection
from deid_tasks.comparison.cloud.service import CloudSystem, service_parts
from deid_tasks.comparison.cloud.terms import terms_of
from deid_tasks.comparison.protocol import SystemNote
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError
from deid_tasks.endpoints.rest import EndpointError

TEXT = "👍 Patient Carlos Salazar, 617-555-0100."
NAME = TEXT.index("Carlos Salazar")
FAST = {"allow_remote": True, "max_wait_seconds": 0.01, "requests_per_second": 10_000}


class Service:
    """A server of this host that answers as told."""

    def __init__(self):
        self.answers, self.bodies, self.paths, self.headers = [], [], [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                outer.paths.append(self.path)
                outer.headers.append(dict(self.headers))
                answer = outer.answers.pop(0)
                answer = answer(outer.bodies[-1]) if callable(answer) else answer
                status, record = answer if isinstance(answer, tuple) else (200, answer)
                content = json.dumps(record).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def service():
    made = Service()
    yield made
    made.http.shutdown()
    made.http.server_close()


def aws(settings, answers):
    client = boto3.client(
        "comprehendmedical", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    stub = Stubber(client)
    for answer in answers:
        if isinstance(answer, str):
            stub.add_client_error("detect_phi", answer, f"cannot read: {TEXT}")
        else:
            stub.add_response("detect_phi", {"ModelVersion": "2.4.0"} | answer, {"Text": ANY})
    stub.activate()
    return CloudSystem(ComprehendMedical(settings, client), settings), stub


def aws_entity(start, end, label="NAME", score=0.99):
    return {
        "Id": 0, "BeginOffset": start, "EndOffset": end, "Score": score, "Text": "x", "Type": label,
        "Category": "PROTECTED_HEALTH_INFORMATION", "Traits": [],
    }  # fmt: skip


def found(answer, text=TEXT):
    return [(text[span.start : span.end], span.label) for span in answer.spans]


def test_aws_counts_code_points_and_charges_units_of_a_request():
    system, stub = aws(AwsSettings(**FAST), [{"Entities": [aws_entity(NAME, NAME + 14)]}])
    answer = system.find(SystemNote("n1", TEXT))
    assert found(answer) == [("Carlos Salazar", "NAME")]
    assert answer.dollars == pytest.approx(0.0014)
    assert answer.details == {"requests": 1, "units": 1, "divided": 0}
    stub.assert_no_pending_responses()


def test_aws_reads_long_notes_in_parts_of_fewer_than_20000_bytes():
    text = ("é" * 99 + "\n") * 250 + "Carlos Salazar"
    bounds = list(service_parts(text, terms_of("aws")))
    assert all(len(text[start:end].encode()) < 20_000 for start, end in bounds)
    assert [bounds[0][0], *(end for _, end in bounds)] == [*(start for start, _ in bounds), len(text)]
    last = len(text) - 14 - bounds[-1][0]
    system, _ = aws(
        AwsSettings(**FAST),
        [{"Entities": []}] * (len(bounds) - 1) + [{"Entities": [aws_entity(last, last + 14)]}],
    )
    assert found(system.find(SystemNote("n1", text)), text) == [("Carlos Salazar", "NAME")]


def test_aws_leaves_out_what_is_below_the_score():
    system, _ = aws(AwsSettings(**FAST, min_score=0.5), [{"Entities": [aws_entity(0, 3, score=0.2)]}])
    assert found(system.find(SystemNote("n1", TEXT))) == []


def test_an_error_of_aws_names_its_code_and_no_text():
    system, _ = aws(AwsSettings(**FAST), ["InvalidRequestException"])
    with pytest.raises(EndpointError, match="InvalidRequestException") as raised:
        system.find(SystemNote("n1", TEXT))
    assert "Carlos" not in str(raised.value)
    assert raised.value.__cause__ is raised.value.__context__ is None


def azure(service, monkeypatch, **settings):
    monkeypatch.setenv("AZURE_LANGUAGE_KEY", "key")
    configured = AzureSettings(endpoint=service.url, **(FAST | settings))
    return CloudSystem(AzureLanguage(configured), configured)


def azure_answer(*entities, errors=()):
    documents = [] if errors else [{"redactedText": "*", "id": "1", "entities": list(entities), "warnings": []}]
    return {
        "kind": "PiiEntityRecognitionResults",
        "results": {"documents": documents, "errors": list(errors), "modelVersion": "2023-09-01"},
    }


def azure_entity(offset, length, category, **more):
    return {"text": "x", "category": category, "offset": offset, "length": length, "confidenceScore": 0.9, **more}


def test_azure_is_asked_for_code_points_in_the_domain_of_health(service, monkeypatch):
    age = azure_entity(0, 1, "Quantity", subcategory="Age")
    service.answers = [azure_answer(azure_entity(NAME, 14, "Person"), age)]
    answer = azure(service, monkeypatch, dollars_per_unit=0.001).find(SystemNote("n1", TEXT))
    assert found(answer) == [("👍", "Quantity.Age"), ("Carlos Salazar", "Person")]
    assert answer.dollars == pytest.approx(0.001)
    parameters = service.bodies[0]["parameters"]
    assert (parameters["domain"], parameters["stringIndexType"]) == ("phi", "UnicodeCodePoint")
    assert parameters["loggingOptOut"] is True
    assert service.paths == ["/language/:analyze-text?api-version=2023-04-01"]
    assert service.headers[0]["Ocp-Apim-Subscription-Key"] == "key"


def test_azure_reads_long_notes_in_documents_of_5120_characters(service, monkeypatch):
    text = "word " * 2_000 + "Carlos"

    def answer(body):
        part = body["analysisInput"]["documents"][0]["text"]
        assert len(part) <= 5_120
        at = part.find("Carlos")
        return azure_answer(*([azure_entity(at, 6, "Person")] if at >= 0 else []))

    service.answers = [answer] * 3
    assert found(azure(service, monkeypatch).find(SystemNote("n1", text)), text) == [("Carlos", "Person")]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (
            [azure_answer(errors=[{"id": "1", "error": {"code": "InvalidArgument", "message": TEXT}}])],
            "InvalidArgument",
        ),
        ([azure_answer() | {"results": {}}], "no document"),
        ([(401, {"error": {"message": TEXT}})], "status 401"),
        ([(429, {})] * 2, "status 429, 2 attempts"),
        ([["not an object"]], "not a JSON object"),
    ],
)
def test_an_error_of_azure_says_what_and_no_text(service, monkeypatch, answers, message):
    service.answers = list(answers)
    with pytest.raises(EndpointError, match=message) as raised:
        azure(service, monkeypatch, attempts=2).find(SystemNote("n1", TEXT))
    assert "Carlos" not in str(raised.value)


def google(service, monkeypatch, **settings):
    monkeypatch.setenv("GOOGLE_ACCESS_TOKEN", "token")
    configured = GoogleSettings(project="my-project", endpoint=service.url, **(FAST | settings))
    return CloudSystem(SensitiveDataProtection(configured), configured)


def finding(start, end, name="PERSON_NAME", likelihood="LIKELY"):
    codepoints = {"end": str(end)} | ({"start": str(start)} if start else {})
    return {
        "infoType": {"name": name},
        "likelihood": likelihood,
        "location": {"byteRange": {"start": "1", "end": "2"}, "codepointRange": codepoints},
        "createTime": "2026-11-23T00:00:00.000Z",
    }


def test_google_counts_code_points_and_leaves_out_a_start_of_zero(service, monkeypatch):
    service.answers = [{"result": {"findings": [finding(NAME, NAME + 14), finding(0, 1, "LOCATION", "POSSIBLE")]}}]
    answer = google(service, monkeypatch).find(SystemNote("n1", TEXT))
    assert found(answer) == [("👍", "LOCATION"), ("Carlos Salazar", "PERSON_NAME")]
    assert [span.score for span in answer.spans] == [0.5, 0.75]
    assert answer.dollars is None
    assert answer.details["units"] == len(TEXT.encode())
    assert service.paths == ["/v2/projects/my-project/locations/global/content:inspect"]
    assert service.bodies[0]["inspectConfig"]["includeQuote"] is False


def test_google_answers_nothing_where_it_finds_nothing(service, monkeypatch):
    service.answers = [{"result": {}}]
    assert google(service, monkeypatch).find(SystemNote("n1", TEXT)).spans == ()


def test_a_part_with_too_many_findings_is_divided(service, monkeypatch):
    text = "Carlos " * 60

    def answer(body):
        part = body["item"]["value"]
        if len(part) > 300:
            return {"result": {"findings": [], "findingsTruncated": True}}
        return {"result": {"findings": [finding(0, 6)]}}

    service.answers = [answer] * 3
    answer = google(service, monkeypatch).find(SystemNote("n1", text))
    assert answer.details["divided"] == 1
    assert {word for word, _ in found(answer, text)} == {"Carlos"}
    assert len(answer.spans) == 2


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_text_leaves_this_host_only_where_that_is_allowed(name, monkeypatch):
    monkeypatch.setenv("AZURE_LANGUAGE_KEY", "key")
    monkeypatch.setenv("GOOGLE_ACCESS_TOKEN", "token")
    options = {"azure": {"endpoint": "https://x.cognitiveservices.azure.com"}, "google": {"project": "p"}}
    with pytest.raises(SettingsError, match="allow_remote"):
        SERVICES[name](options.get(name, {}))


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_deployment_forbids_every_service_whatever_the_settings_allow(name, monkeypatch):
    monkeypatch.setenv("AZURE_LANGUAGE_KEY", "key")
    monkeypatch.setenv("GOOGLE_ACCESS_TOKEN", "token")
    monkeypatch.setenv("PALIMPSEST_FORBID_REMOTE_ENDPOINTS", "true")
    options = {"azure": {"endpoint": "https://x.cognitiveservices.azure.com"}, "google": {"project": "p"}}
    with pytest.raises(SettingsError, match="no setting overrides it"):
        SERVICES[name]({"allow_remote": "true", **options.get(name, {})})


def test_a_setting_that_is_not_known_is_named():
    with pytest.raises(SettingsError, match="colour"):
        SERVICES["aws"]({"colour": "red", "allow_remote": "true"})


@pytest.mark.parametrize(
    ("name", "price", "expected"),
    [
        ("aws", None, "aws: 3 notes, 4 requests, 212 units, 0.30 dollars by the list price of"),
        ("azure", None, "azure: 3 notes, 6 requests, 25 units; the table of"),
        ("azure", 0.001, "azure: 3 notes, 6 requests, 25 units, 0.03 dollars by your price. Nothing was sent."),
    ],
)
def test_the_cost_is_known_before_anything_is_sent(tmp_path, name, price, expected):
    notes = tmp_path / "notes.jsonl"
    texts = ["word " * 4_000 + "x", "short", "x " * 495 + "é" * 10, ""]
    notes.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts[:3])))
    assert dry_run(name, notes, price).startswith(expected)


@pytest.mark.parametrize("name", ["aws", "azure", "google"])
def test_labels_are_mapped_to_our_entities(name):
    folder = Path(deid_tasks.comparison.__file__).parent / "systems" / name
    labels = json.loads((folder / "labels.json").read_text())
    assert {value for value in labels.values() if value} <= set(map(str, Entity))
