"""The page on the quality of de-identification in Airflow's UI."""
