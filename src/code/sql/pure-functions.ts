/**
 * Functions that change nothing in any database that has them. Functions that run a text as SQL (`query_to_xml`, `ts_stat`,
 * `crosstab`), wait, lock, signal or reach files and other servers are not among them.
 */
// biome-ignore format: a table
const PURE = {
  aggregates: `count sum avg min max total string_agg array_agg group_concat listagg json_agg jsonb_agg json_object_agg
    jsonb_object_agg json_arrayagg json_objectagg json_group_array json_group_object xmlagg bool_and bool_or every bit_and bit_or
    any_value approx_count_distinct count_if countif sum_if sumif stddev stddev_pop stddev_samp stdev var_pop var_samp variance
    corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count percentile_cont percentile_disc mode median
    quantile quantile_cont quantile_disc approx_percentile approx_quantile max_by min_by arg_max arg_min first last`,
  windows: `row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value grouping`,
  choices: `coalesce ifnull nvl nvl2 isnull nullif greatest least iif if decode`,
  numbers: `abs ceil ceiling floor round trunc sign sqrt cbrt power pow exp ln log log2 log10 mod div gcd lcm degrees radians
    pi sin cos tan asin acos atan atan2 width_bucket random rand to_number safe_divide bit_count scale trim_scale`,
  texts: `lower upper initcap length len char_length character_length octet_length bit_length concat concat_ws substring substr
    left right mid trim ltrim rtrim btrim lpad rpad replace translate reverse repeat split_part strpos position instr charindex locate
    overlay ascii chr char unicode format printf quote_ident quote_literal quote_nullable starts_with ends_with contains
    regexp_replace regexp_match regexp_matches regexp_like regexp_substr regexp_count regexp_instr regexp_split_to_array
    regexp_split_to_table string_to_array string_to_table array_to_string string_split split stuff space soundex difference
    levenshtein metaphone similarity word_similarity unaccent normalize md5 sha1 sha2 sha224 sha256 sha384 sha512 hex unhex
    encode to_hex to_ascii find_in_set field elt like_escape similar_escape similar_to_escape substring_index typeof pg_typeof`,
  times: `now current_date current_time current_timestamp localtime localtimestamp clock_timestamp statement_timestamp
    transaction_timestamp timeofday getdate getutcdate sysdatetime curdate curtime utc_date utc_timestamp date time datetime
    timestamp timestamptz julianday unixepoch strftime date_trunc date_part date_bin datetrunc datepart datename extract age
    to_char to_date to_timestamp make_date make_time make_timestamp make_timestamptz make_interval justify_days justify_hours
    justify_interval timezone isfinite date_format time_format str_to_date date_add date_sub dateadd datediff date_diff
    timestampadd timestampdiff timestamp_diff timestamp_trunc datetime_trunc timestamp_add timestamp_sub addtime subtime adddate
    subdate unix_timestamp from_unixtime from_days to_days last_day eomonth year month day week hour minute second quarter
    dayofweek dayofmonth dayofyear dayname monthname weekday weekofyear yearweek isdate parse_date parse_timestamp
    format_date format_timestamp epoch overlaps`,
  json: `to_json to_jsonb row_to_json array_to_json json_build_object jsonb_build_object json_build_array jsonb_build_array
    json_object jsonb_object json_array json_extract json_extract_path json_extract_path_text jsonb_extract_path
    jsonb_extract_path_text json_extract_scalar json_extract_string json_query json_value json_unquote json_quote json_type
    json_valid json_length json_array_length jsonb_array_length json_contains json_keys json_search json_each json_each_text
    jsonb_each jsonb_each_text json_tree json_array_elements json_array_elements_text jsonb_array_elements
    jsonb_array_elements_text json_object_keys jsonb_object_keys json_typeof jsonb_typeof json_strip_nulls jsonb_strip_nulls
    jsonb_set jsonb_insert json_set json_insert json_remove json_patch jsonb_pretty jsonb_path_query jsonb_path_query_array
    jsonb_path_query_first jsonb_path_exists jsonb_path_match json_to_record jsonb_to_record json_to_recordset
    jsonb_to_recordset json_populate_record jsonb_populate_record openjson parse_json`,
  lists: `unnest generate_series generate_subscripts array_length array_upper array_lower array_ndims array_dims cardinality
    array_append array_prepend array_cat array_remove array_replace array_position array_positions array_contains any_match
    lower_inc upper_inc isempty range_merge int4range int8range numrange tsrange tstzrange daterange row`,
  search: `to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline setweight
    numnode querytree strip cosine_distance l2_distance inner_product vector_dims`,
  geometry: `st_makepoint st_point st_setsrid st_geomfromtext st_geogfromtext st_geomfromgeojson st_astext st_asgeojson st_x st_y
    st_distance st_dwithin st_contains st_within st_intersects st_intersection st_union st_area st_length st_buffer st_centroid
    st_transform st_envelope st_makeenvelope st_collect st_isvalid st_distancesphere st_distance_sphere`,
  conversions: `cast convert try_cast try_convert safe_cast numeric decimal integer int bigint float double real text varchar
    bool boolean uuid gen_random_uuid uuid_generate_v4 host network masklen inet_aton inet_ntoa`,
  catalogue: `version current_database database current_schema current_schemas current_user session_user user current_setting
    pg_size_pretty pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_database_size pg_column_size
    pg_get_viewdef pg_get_constraintdef pg_get_indexdef pg_get_functiondef pg_get_expr pg_get_triggerdef pg_get_serial_sequence
    pg_get_userbyid pg_encoding_to_char pg_table_is_visible pg_is_in_recovery pg_postmaster_start_time pg_backend_pid
    obj_description col_description shobj_description format_type to_regclass to_regtype has_table_privilege has_schema_privilege
    has_column_privilege has_database_privilege txid_current_if_assigned object_id object_name schema_name db_name
    sqlite_version pragma_table_info pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list`,
} as const;

const NAMES: ReadonlySet<string> = new Set(Object.values(PURE).flatMap((names) => names.split(/\s+/)));

/** True for a function that is known to change nothing, by the parts of its name. One in a schema of a user may do anything. */
export function isPureFunction(path: readonly string[]): boolean {
  const [schema, name] = path.length === 1 ? ['pg_catalog', path[0]] : path;
  return path.length <= 2 && schema === 'pg_catalog' && name !== undefined && NAMES.has(name.toLowerCase());
}
