"""The page of de-identification quality in Airflow's UI."""
