# syntax=docker/dockerfile:1
# Two images from one file:
#
#   docker build --target engine   -t palimpsest-engine .     the command `deid` and the Python API
#   docker build --target platform -t palimpsest .            Airflow with the DAGs, the plugin and the dbt project
#
# `--build-arg VARIANT=cuda` adds PyTorch with CUDA, for `backend: torch` on a GPU; the host needs NVIDIA's container toolkit.
# Every package is installed by hash from deploy/image/*.txt, which deploy/image/lock.py writes.
# Where a registry is at hand, pin the base by digest: `--build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:…`.

ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS wheel
WORKDIR /src
COPY deploy/image/build.txt ./
RUN pip install --no-cache-dir --require-hashes -r build.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY deid_tasks deid_tasks
COPY dictionaries dictionaries
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${PYTHON_IMAGE} AS engine-environment
ARG VARIANT=cpu
WORKDIR /locks
COPY deploy/image/engine-${VARIANT}.txt ./
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r engine-${VARIANT}.txt
COPY --from=wheel /wheels /wheels
RUN /opt/venv/bin/pip install --no-cache-dir --no-index --no-deps /wheels/*.whl

FROM ${PYTHON_IMAGE} AS platform-environment
ARG VARIANT=cpu
WORKDIR /locks
COPY deploy/image/platform-${VARIANT}.txt ./
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r platform-${VARIANT}.txt
COPY --from=wheel /wheels /wheels
RUN /opt/venv/bin/pip install --no-cache-dir --no-index --no-deps /wheels/*.whl

FROM ${PYTHON_IMAGE} AS runtime
# Reaps ended processes and passes signals on, also where the orchestrator adds no init process.
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
# The user and group that Airflow's Helm chart runs containers as.
RUN useradd --create-home --uid 50000 --gid 0 palimpsest \
    && mkdir -p /var/lib/palimpsest /var/cache/palimpsest /opt/airflow/logs \
    && chown -R palimpsest:0 /var/lib/palimpsest /var/cache/palimpsest /opt/airflow \
    && chmod -R g=u /var/lib/palimpsest /var/cache/palimpsest /opt/airflow
# Commands that one person must answer for refuse to run where everybody has this user (deid_tasks/cli/identity.py).
RUN touch /etc/palimpsest-image
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HF_HUB_OFFLINE=1 \
    DO_NOT_TRACK=1 \
    SCARF_ANALYTICS=false \
    SCARF_NO_ANALYTICS=true \
    DBT_SEND_ANONYMOUS_USAGE_STATS=False \
    GX_ANALYTICS_ENABLED=False \
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED=False \
    AIRFLOW__COSMOS__ENABLE_TELEMETRY=False \
    OMP_NUM_THREADS=1
ENTRYPOINT ["tini", "--"]

FROM runtime AS engine
COPY --from=engine-environment /opt/venv /opt/venv
WORKDIR /home/palimpsest
USER 50000:0
CMD ["deid", "--help"]

FROM runtime AS platform
COPY --from=platform-environment /opt/venv /opt/venv
WORKDIR /opt/palimpsest
COPY dags dags
COPY plugins plugins
COPY dbt dbt
COPY deploy/image/clean-logs /clean-logs
ENV AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/palimpsest/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/palimpsest/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AIRFLOW__CORE__DEFAULT_TIMEZONE=utc \
    AIRFLOW__COSMOS__CACHE_DIR=/opt/airflow/cosmos \
    PALIMPSEST_WORK_DIR=/var/lib/palimpsest
USER 50000:0
CMD ["airflow", "version"]
