{#-
    A view is replaced in place. dbt's own way drops it, and with it every view that reads it: a refresh of staging
    would take dict_patient away from the runs that read records meanwhile. Only a view whose columns change otherwise
    than by new ones at the end is dropped, and dbt builds those that read it next.
-#}
{% materialization view, adapter='postgres' %}
    {%- set target_relation = this.incorporate(type='view') -%}
    {%- set existing_relation = load_cached_relation(this) -%}
    {%- set grant_config = config.get('grants') -%}

    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}

    {%- if existing_relation is not none and not existing_relation.is_view -%}
        {{ drop_relation_if_exists(existing_relation) }}
    {%- endif -%}
    {%- if config.get('contract').enforced -%}
        {{ get_assert_columns_equivalent(sql) }}
    {%- endif -%}
    {% call statement('main') -%}
        do $view$
        begin
            execute $definition$create or replace view {{ target_relation }} as {{ sql }}$definition$;
        exception when invalid_table_definition then
            drop view {{ target_relation }} cascade;
            execute $definition$create view {{ target_relation }} as {{ sql }}$definition$;
        end
        $view$
    {%- endcall %}

    {%- do apply_grants(target_relation, grant_config, should_revoke(existing_relation, full_refresh_mode=False)) -%}
    {%- do persist_docs(target_relation, model) -%}
    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}

    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
