// Not in TypeScript: bench/agentSessions.mjs runs as it is, on Node 20, too.

/**
 * The `config.toml` of a user whose Codex reaches a fake Responses API and nobody else. Without `plugins = false` every start looks up hosts of
 * the vendor. The key of the API is in the variable DUMMY_KEY.
 *
 * @param {string} url base URL of the API
 */
export const codexConfig = (url) => `# The user's own.
model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${url}"
wire_api = "responses"
env_key = "DUMMY_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
plugins = false
daemon_auto_start = false

[analytics]
enabled = false
`
