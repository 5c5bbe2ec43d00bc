{#- Lets the roles of people who may read the views on quality enter their schema. -#}
{% macro grant_usage() -%}
    {%- for role in var('quality_roles') -%}
        grant usage on schema {{ adapter.quote(var('institution') ~ '_quality') }} to {{ adapter.quote(role) }};
    {%- endfor -%}
{%- endmacro %}

{#-
    Lets the role that plans and publishes runs fill the table of merged patients, where the database has this role: all
    other rights of the platform's roles come from `deid roles`, and this table is made later.
-#}
{% macro grant_filling() -%}
    do $grant$
    begin
        if to_regrole('{{ var('institution') }}_publish') is not null then
            grant insert, delete on {{ this }} to {{ adapter.quote(var('institution') ~ '_publish') }};
        end if;
    end
    $grant$
{%- endmacro %}
