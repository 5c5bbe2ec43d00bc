-- At least one row in every table of the present schema, with each kind of value that a later revision changes.
insert into xx_gold.sample values
    ('s1', 'stratified', 7, 10, '{"size": 10, "least": 3, "weight": "log10", "periods": [], "seed": 7}', 2, '2024-01-01'),
    ('s2', 'random', 7, 5, '{"random_size": 5, "seed": 7, "periods": []}', 1, '2024-01-02'),
    ('s3', 'disputed', 7, 4, '{"disputed_size": 4, "disputed_pool": 9, "fingerprint": "f", "held_out": 0.2}', 1, '2024-01-03'),
    ('s4', 'random', 7, 5, '{}', 0, '2024-01-04');
insert into xx_gold.sample_group values ('s1', 'Progress', 'all', 100, 250.5, 3.5, 2, 2), ('s3', 'Progress', 'all', 100, 250.5, 0, 0, 1);
insert into xx_gold.sample_note values
    ('s1', 'n1', 'p1', 'Progress', '2024-01-01', 'a1', 'all', 'Seen by Dr. Okafor.', 1, true),
    ('s1', 'n2', null, 'Progress', null, null, 'undated', '', 2, false),
    ('s3', 'n3', 'p3', 'Progress', '2024-01-01', 'a1', 'all', 'Naïve é漢 note.', 1, false);
insert into xx_gold.annotated_note values
    ('s1', 'n1', 'annotator_a', 'brat', '', 'list-1', '2024-02-01'), ('s1', 'n1', 'annotator_b', 'brat', 'f', null, '2024-02-02');
insert into xx_gold.annotation values ('s1', 'n1', 'annotator_a', 12, 18, 'PROVIDER');
insert into xx_gold.gold_set values
    ('g1', 's1', 'stratified', '', 1, 0.93, '2024-03-01'), ('g3', 's3', 'disputed', 'f', 1, null, '2024-03-02');
insert into xx_gold.gold_note values
    ('g1', 'n1', 'p1', 'Progress', '2024-01-01', 'a1', 'all', 'Seen by Dr. Okafor.'),
    ('g3', 'n3', 'p3', 'Progress', '2024-01-01', 'a1', 'all', 'Naïve é漢 note.');
insert into xx_gold.gold_span values ('g1', 'n1', 12, 18, 'PROVIDER');
insert into xx_gold.gold_decision values ('g1', 'n1', 12, 18, 'PROVIDER', 'agreement', 'annotator_a annotator_b');
insert into xx_results.run values
    ('r1', 'xx', '2024-01-01', '2024-01-02', 'f', 'c1', 3, 1, 1, 1, 900, 2.5, '2024-01-03', '[{"kind": "drift", "reason": "x"}]');
insert into xx_results.note_outcome values
    ('r1', 'n1', 'published', '', 'f', 100, 5, 1.5), ('r1', 'n3', 'quarantined', 'engine_error', 'f', 0, 0, 0);
insert into xx_results.evaluation values
    ('e1', 'f', 'g1', 'stratified', 'full', 'word', '', 'recall', 'all', .98, .97, .99, 98, 1, 2, '2024-01-01'),
    ('e1', 'f', 'g1', 'stratified', 'full', 'word', '', 'kappa', 'all', null, null, null, null, null, null, '2024-01-01');
insert into xx_results.certificate values ('c1', 'f', 'g1', 'passed', '{"b": 1,  "a": [2]}', '2024-01-02', 'signed');
insert into xx_results.audit_finding values ('r1', 'n3', 'last', 3, 8, true);
insert into xx_results.run_figure values ('r1', 'Progress', 'spans', 900, 0.1, 0.2, 0.05, 0.3, 'within', false);
insert into xx_results.run_count values ('r1', 'recovered', 'PATIENT', 4);
insert into xx_results.approval values ('drift', 'r1', 'f', 'c1', 'x', 'approved', 'officer', '2024-01-04');
insert into xx_results.published_slice values ('k1', '2024-01-01', '2024-01-02', 'key', 'r1', 2, '2024-01-05', null);
insert into xx_results.published_table values ('r1', 'patient', 'v', 'key', 10, 9, 1, '2024-01-05');
insert into xx_results.reidentification (asked_by, reason, note_keys) values ('officer', 'recontact', array['a', 'b']);
