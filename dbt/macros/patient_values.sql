{#-
    The values of a patient that identify, as expressions over an adapter's row. Staging and history read the same, so
    that a value of now equals the same value in the history.
-#}
{% macro patient_values(table) -%}
    {%- if table == 'patient_name' -%}
    {{ present('first_name::text') }} as first_name,
    {{ present('middle_name::text') }} as middle_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('preferred_name::text') }} as preferred_name
    {%- elif table == 'patient_identifier' -%}
    case
        when kind::text in ('mrn', 'ssn', 'health_plan', 'account', 'license') then kind::text else 'other_id'
    end as kind,
    {{ present('value::text') }} as value
    {%- elif table == 'patient_contact' -%}
    case
        when kind::text in ('phone', 'email') then kind::text
        when value::text like '%@%' then 'email' else 'phone'
    end as kind,
    {{ present('value::text') }} as value
    {%- elif table == 'patient_address' -%}
    {{ present('street::text') }} as street,
    {{ present('city::text') }} as city,
    {{ present('state::text') }} as state,
    {{ present('zip::text') }} as zip
    {%- elif table == 'patient_relation' -%}
    {{ present('first_name::text') }} as first_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('phone::text') }} as phone
    {%- endif -%}
{%- endmacro %}
