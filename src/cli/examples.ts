/** A command as a person would type it, and what it is for. */
export interface Example {
  readonly command: string
  readonly about: string
}

const one = (command: string, about: string): Example => ({ command: `lint-ai ${command}`, about })

/** What `--help` shows of each command, by its name without `lint-ai`. A test checks that every command is here and that each line can be parsed. */
export const examples: Readonly<Record<string, ReadonlyArray<Example>>> = {
  "": [
    one("demo", "See what is recorded, in a scratch project"),
    one("init", "Record this project from now on"),
    one("sessions list", "What was recorded"),
    one("ui", "Look at it in the browser")
  ],
  init: [one("init", "Set up the project around the working directory"), one("init ~/code/shop --yes", "Do not ask")],
  demo: [one("demo --keep", "Leave the scratch project for a look around")],
  status: [one("status", "This project"), one("status ~/code/shop --json", "Another one, for a program")],
  doctor: [one("doctor", "Exit code 1 when something is wrong")],
  enable: [one("enable claude", "Memory and recording for Claude Code")],
  disable: [one("disable claude", "Memory off; recording stays as it is")],
  "record start": [
    one("record start codex", "Record Codex in this project"),
    one("record start --session-recording assist", "Record Claude Code, with memory on too")
  ],
  "record stop": [one("record stop", "Stop recording Claude Code")],
  "record status": [one("record status gemini --json", "Is Gemini CLI being recorded here?")],
  "sessions list": [
    one("sessions list", "Newest first"),
    one("sessions list --provider codex --json", "For a program")
  ],
  "sessions search": [
    one("sessions search login timeout", "Events in which both words are"),
    one("sessions search 'rm -rf' --kind tool_call", "Only calls of tools")
  ],
  "sessions inspect": [
    one("sessions inspect", "The newest session"),
    one("sessions inspect claude:5f0d", "The one whose id begins so")
  ],
  "sessions view": [
    one("sessions view", "The newest session, in the browser"),
    one("sessions view 5f0d --out session.html --no-open", "Only write the file")
  ],
  "sessions export": [
    one("sessions export --format markdown --out session.md", "The newest session, for reading"),
    one("sessions export 5f0d | head -3", "The manifest and the first two events"),
    one("sessions export 5f0d --format otlp --endpoint http://127.0.0.1:4318", "To a collector")
  ],
  "sessions import": [
    one("sessions import session.jsonl", "A session that was exported elsewhere"),
    one("sessions import --transcript claude ~/.claude/projects/p/5f0d.jsonl", "An agent's own transcript, redacted")
  ],
  "sessions verify": [
    one("sessions verify", "The newest session"),
    one("sessions verify --all --json", "All, and those that are gone"),
    one("sessions verify 5f0d --against-transcript ~/.claude/projects/p/5f0d.jsonl", "Call by call")
  ],
  "sessions recover": [
    one("sessions recover", "Every session of the project"),
    one("sessions recover 5f0d --finalize", "End one that its agent did not end")
  ],
  "sessions delete": [one("sessions delete 5f0d 77aa", "Two sessions; asks first")],
  "sessions prune": [
    one("sessions prune --older-than 30d --dry-run", "What would go"),
    one("sessions prune --keep 20 --max-size 2GB --yes", "The newest 20 stay")
  ],
  replay: [
    one("replay 5f0d --dry-run", "What would run"),
    one("replay 5f0d --repeat 3", "Three runs of the same prompts")
  ],
  compare: [
    one("compare 5f0d", "One session, and which replays it has"),
    one("compare 5f0d 77aa --all", "A replay beside its baseline, in every measure")
  ],
  "scenario from-session": [one("scenario from-session 5f0d --out login.json", "A task out of what was recorded")],
  "scenario validate": [one("scenario validate login.json", "Everything that is wrong with it")],
  "scenario run": [
    one("scenario run login.json --recorded", "Hold the recorded session against it"),
    one("scenario run login.json --replay --keep", "Run it again, and keep the work tree")
  ],
  "scenario trust": [one("scenario trust login.json", "Let the programs that it names run")],
  "experiment init": [one("experiment init memory-ab.json --session 5f0d", "Two arms, with and without memory")],
  "experiment run": [
    one("experiment run memory-ab.json --dry-run", "What would run, and how often"),
    one("experiment run memory-ab.json --parallel 2", "Run it, or go on with it")
  ],
  "experiment report": [one("experiment report memory-ab.json --markdown", "What came of it")],
  watch: [
    one("watch", "What is being recorded in this project"),
    one("watch --follow 5f0d", "Each event of one session, as it is recorded"),
    one("watch --json", "For a program, one object a line")
  ],
  ui: [
    one("ui", "Open the page in the browser"),
    one("ui ~/code/shop --port 4711 --no-open", "Print the address, for a port that is forwarded")
  ],
  extract: [one("extract 5f0d", "Propose memories; nothing is kept before you accept it")],
  "extract review": [one("extract review", "What waits for your decision")],
  "extract review accept": [one("extract review accept c1 c3", "Keep two of the candidates")],
  "extract review reject": [one("extract review reject --all", "Keep none")],
  "memory list": [one("memory list --limit 20", "The newest memories")],
  "memory search": [one("memory search login timeout", "As an agent would find them")],
  "memory show": [one("memory show mem_2f", "One of them, whole")],
  "memory forget": [
    one("memory forget mem_2f", "One memory"),
    one("memory forget --session 5f0d --yes", "All of a session")
  ],
  "memory stats": [one("memory stats", "How many, and how large")],
  "memory rebuild": [one("memory rebuild", "Make the index again")],
  "memory promote": [one("memory promote 5f0d --events 3-17 --preview", "What would be remembered")],
  "memory adopt": [one("memory adopt", "Take over a memory that came from elsewhere")],
  "redact check": [one("redact check < .env", "What would be redacted in a file")],
  "evidence key show": [one("evidence key show", "Which key seals your records")],
  "evidence key rotate": [one("evidence key rotate", "A new key; records of the old one stay readable")],
  "air export": [one("air export 5f0d --runs runs", "AIR records of a session's model calls")],
  "air verify": [one("air verify runs", "Does the chain hold?")],
  "air bundle": [one("air bundle runs --out evidence.zip", "Evidence for somebody else")],
  "air load": [one("air load runs/1.air.json", "What a record holds")],
  "air config-hash": [one("air config-hash AGENTS.md .claude", "A digest of what steers an agent")],
  install: [
    one("install claude", "Register the hooks; nothing is recorded yet"),
    one("install codex --session-recording capture-only --mcp", "And record, and let the agent control it")
  ],
  uninstall: [
    one("uninstall claude", "Take the hooks of one agent out"),
    one("uninstall --purge --dry-run", "What would be removed of all that lint-ai keeps")
  ],
  adopt: [one("adopt", "Let the .lint-ai that came with a clone count")],
  hook: [one("hook claude < event.json", "What Claude Code does at each step")],
  "codex trust": [one("codex trust", "Let Codex run the hooks that are installed")],
  "codex watch": [one("codex watch", "Record token counts that hooks do not tell")],
  "mcp serve": [one("mcp serve claude", "What an agent starts")],
  "mcp verify": [one("mcp verify claude", "Does the server answer, and how fast?")],
  statusline: [one("statusline claude", "What Claude Code's status bar shows")],
  completions: [
    one("completions bash >> ~/.bashrc", "bash"),
    one("completions zsh > ~/.zsh/completions/_lint-ai", "zsh, for a directory of your fpath"),
    one("completions fish > ~/.config/fish/completions/lint-ai.fish", "fish"),
    one("completions powershell >> $PROFILE", "PowerShell")
  ]
}
