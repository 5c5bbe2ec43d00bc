"""A cloud service; its options are the settings of ``deid_tasks.comparison.cloud.aws``."""

from deid_tasks.comparison.cloud.__main__ import load_aws
from deid_tasks.comparison.protocol import serve

if __name__ == "__main__":
    serve(load_aws)
