{#-
    Whether an exclusion holds now. Its times are of the institution's zone, which the database may not share: a day
    more.
-#}
{% macro is_in_force() -%}
    localtimestamp + interval '1 day' >= coalesce(valid_from, '-infinity')
    and localtimestamp - interval '1 day' < coalesce(valid_to, 'infinity')
{%- endmacro %}

{#-
    A hash of everything that decides which phrases are harvested: the notes with their versions, the words, and the
    limits.
-#}
{% macro harvest_version() -%}
    md5(concat_ws(
        ' ',
        (select {{ content_version(['note_id', 'patient_id', 'text_version']) }} from {{ ref('harvest_sample') }}),
        (select {{ content_version(['word', 'literature_count', 'is_common']) }} from {{ ref('harvest_vocabulary') }}),
        (
            select {{ content_version(['term', 'occurrences']) }}
            from {{ ref('literature_counts') }} where term like '% %'
        ),
        '{{ var('harvest_patients') }}'
    ))
{%- endmacro %}

{#- Deletes the phrases unless they are of the present harvest. The first rows ever had no version. -#}
{% macro forget_other_harvests() -%}
    {%- if is_incremental() -%}
        delete from {{ this }} as h where to_jsonb(h) ->> 'version' is distinct from {{ harvest_version() }}
    {%- endif -%}
{%- endmacro %}
