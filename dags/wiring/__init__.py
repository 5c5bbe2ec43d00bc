"""What the DAG files share: which institutions there are, the policy of every DAG, secrets, assets, and the call into the engine."""
