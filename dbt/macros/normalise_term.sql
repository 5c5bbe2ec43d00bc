{#-
    A term in lower case without accents, with one space for every run of characters that are neither letters nor
    digits: the same as `deid_tasks.engine.lexicon.normalise`. The first list is of combining marks (U+034F only looks
    like one).
-#}
{% macro normalise_term(term) -%}
    btrim(regexp_replace(
        lower(regexp_replace(
            normalize({{ term }}, nfkd),
            '[\u0300-\u034E\u0350-\u036F\u0483-\u0487\u0591-\u05BD\u064B-\u065F'
            || '\u1AB0-\u1ABD\u1DC0-\u1DFF\u20D0-\u20DC\u20E1\u20E5-\u20F0\u3099\u309A\uFE20-\uFE2F]',
            '', 'g'
        )),
        '[^[:alnum:]]+', ' ', 'g'
    ))
{%- endmacro %}
