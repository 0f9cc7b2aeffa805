/** What `--help` prints. */
import type { Settings } from '@parley/kit';
import type { Option } from '../options.ts';
import { optionsWith, settingsWith, variableOf } from '../options.ts';

interface CommandHelp {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  /** The options that it reads; absent: all, as the server does. */
  readonly reads?: readonly Option['also'][];
  /** Options of toolsets that it reads too, by their flags. */
  readonly flags?: readonly string[];
}

const READS_KEY = ['folder', 'init', 'key', 'every'] as const;
// What tools reach is decided in the process that runs them, whatever a server beside it may.
const RUNS_TOOLS = [...READS_KEY, 'egress', 'programs', 'commands'] as const;
const RUNS_AGENTS = ['runner', 'runner-command', 'project-root'];

const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  start: {
    usage: 'parley start [options]',
    summary: 'Start the server',
    details: `The first start makes the data folder, the database, one organization with its owner, and the owner key in
<data>/owner.key. With --json it prints exactly one line when it is ready:
  {"url": "...", "mcp": "...", "data": "...", "ownerKeyFile": "...", "console": "...", "signIn": "...", "overlayTag": "..."}
"signIn" is there until an owner has a password or a passkey: a link into the console, once, within 15 minutes.
--resume lets a server that was restored from a backup begin with the tasks, schedules and deliveries that wait in it.
--demo fills what is empty: a year and a half of feedback, whose pages it publishes ("pages" is their address), annotations, agents,
tasks, a day of calls, people and keys, and three example servers that it starts for connections, a virtual MCP and events. What
needs the server to run comes right after the start; the log says when the demo is complete.
Ctrl-C or SIGTERM stops it after running requests are answered; a second one stops it at once.`,
  },
  mcp: {
    reads: RUNS_TOOLS,
    flags: RUNS_AGENTS,
    usage: 'parley mcp [toolset...] [options]',
    summary: 'Serve MCP over stdin and stdout, on the same data folder',
    details: `For clients that start their servers themselves. It may run beside "parley start" on the same data folder.
Without toolsets it serves all that the key may use. Without --key or PARLEY_KEY it acts with the owner key of the folder.
Where --data has no installation it ends with 1; --init makes one, for those who never run "parley start".
The tools run in this process: what a server was started with, such as --allow-egress, --runner or --project-root, has to be
given here too.
--extended adds the tools that a grant has to name, such as the second tier of feedback; for owners and administrators.

parley mcp agent --agent NAME
    Acts as that agent: with its tools, inbox and memory. Your key must be able to do all that the agent can.
    Schedules, workflows, work tasks and channels need "parley start" beside it, which does what comes later.

parley mcp feedback --url URL --api-key KEY [--extended]
    Serves the feedback of another server instead, over its REST API; no data folder is used.
    QUACKBACK_URL and QUACKBACK_API_KEY stand for the two (flags win), --remote asks for them without giving any.
    Other processes can see a key on the command line: use the variable. --extended works here too.
    The command "quackback-mcp" is the same from the two variables alone.`,
  },
  tools: {
    reads: READS_KEY,
    usage: 'parley tools [toolset...] [--extended] [--json]',
    summary: 'List the tools that a key sees',
    details: `One line per tool: name, effect, toolset, title.
--extended adds the tools that a grant has to name; for owners and administrators.`,
  },
  call: {
    reads: RUNS_TOOLS,
    flags: RUNS_AGENTS,
    usage: 'parley call TOOL [\'{"field": "value"}\'] [--extended] [--json]',
    summary: 'Call one tool and print its answer',
    details: `Exits with 0 when the tool answered, with 1 when it answered with an error. "-" reads the input from stdin.
The tool runs in this process: what a server was started with, such as --allow-egress, --runner or --project-root, has to be
given here too.
--extended adds the tools that a grant has to name; for owners and administrators.`,
  },
  keys: {
    reads: READS_KEY,
    usage: 'parley keys create NAME | list | revoke ID_OR_NAME | recover',
    summary: 'Create, list, revoke and recover API keys',
    details: `create NAME [--grant TOOLSET:TOOL[,TOOL...]]... [--role ROLE] [--expires 30d]
    Without --grant the key may do what its maker may do. "*" stands for every toolset or every tool. A connection is
    given like a toolset, by its name or id: --grant "Files:read_file,list_directory" gives two of its tools.
    --role admin, member or user narrows it to that rank; a role of your own (see "parley roles") gives the
    grants that it has now. An owner's key has everything its owner may without --role.
    Resources and prompts are named like tools; a name that nothing has is refused.
    The key is printed once and stored only as a hash.
list
    Your keys and whose they are; those of everybody for owners and administrators.
revoke ID_OR_NAME
    The id or the public id of the key, or a name that only one active key has. Every running server refuses it from
    its next request on. Nobody revokes a key that stands above their own, and the last full key of an owner stays.
recover
    Writes a new owner key to <data>/owner.key, for whoever has no key that works. It asks for no key: being able to
    open the data folder, or the database that --database-url names, is the proof. It leaves a call record.`,
  },
  'sign-in': {
    reads: ['folder', 'address', 'every'],
    usage: 'parley sign-in [EMAIL]',
    summary: 'Print a link that signs somebody in to the console once',
    details: `For the first owner, or for the member with this e-mail; it works once, within 15 minutes. It asks for no key: being
able to open the data folder, or the database that --database-url names, is the proof. The server must run at the address
of the link: give --public-url, or the --host and --port it was started with.`,
  },
  members: {
    reads: [...READS_KEY, 'address'],
    usage: 'parley members list | invite EMAIL | role EMAIL ROLE... | remove EMAIL',
    summary: 'Invite, list, promote and remove people',
    details: `Of the organization of the key. Nobody gives, changes or takes a role above their own.
list
invite EMAIL [--role ROLE]...
    Prints a link with which this person joins, once, within 7 days; "member" without --role.
    ROLE is owner, admin, member, user, or a role of your own. The server must run at the address of the link:
    give --public-url, or the --host and --port it was started with.
role EMAIL ROLE...
    Replaces the roles of a member; their keys follow with the next request.
remove EMAIL
    Takes somebody out, or an open invitation back. Their keys in this organization stop at once.
EMAIL may also be the id of a member.`,
  },
  roles: {
    reads: READS_KEY,
    usage: 'parley roles list | save NAME --grant TOOLSET:TOOL,... | delete NAME',
    summary: 'List, save and delete roles of your own',
    details: `A role gives its grants beside what every member has. For owners and administrators.
list
save NAME --grant TOOLSET:TOOL[,TOOL...]...
    Makes or replaces it; whoever holds it has the new grants with their next request. At most 500.
delete NAME
    Whoever held no other role is a member from then on.`,
  },
  connect: {
    reads: [...READS_KEY, 'address', 'commands'],
    usage: 'parley connect add NAME URL | add NAME -- COMMAND ARGS... | import | list | test NAME | ...',
    summary: 'Connect other MCP servers: by address, as programs, or from what a client has',
    details: `Their tools are then at <url>/mcp/ID, and among all others at /mcp, for keys that have them. Being on this machine is
the permission: a program may be started without --allow-stdio, and the private host of its own address reached, for
this one connection. A server that runs on the same data folder has it at once.
add NAME URL [--type http|sse|openapi] [--token T | --token-stdin] [--header "NAME: VALUE"]...
add NAME [--env NAME=VALUE]... [--cwd FOLDER] -- COMMAND ARGS...
    [--pinning off|flag|strict] says what becomes of tools that change later: served, served and marked, or held until
    somebody approves them, as without it. [--id ID] is its name at /mcp/; without it one is made. Other processes can
    see a token on the command line for a moment: --token-stdin reads it from stdin. FOLDER lies in your home.
import [FILE | -] [--from claude-desktop|claude-code|cursor|vscode] [--only NAME,...] [--replace] [--dry-run]
    Takes over the servers that a client has: from its own files (--from), from a file, or from JSON on stdin. One line
    for each: added with its tools, skipped or failed and why; exits with 1 when one failed or could not be asked.
    Variables are taken from the environment of this command, and what VS Code would ask for is asked on the terminal.
    Parley itself is left out, and so is a name that is taken, unless --replace changes that connection. --dry-run
    stores and starts nothing.
list
    With their status, and how many of their tools are held.
test NAME
    Connects as a call would, from this process. Exits with 1 when no MCP server answered; of a program it shows the
    last that it wrote to its standard error.
tools NAME
refresh NAME
    Asks its server again; one that runs does so by itself every five minutes, and when it is told of a change.
definitions NAME
    Its tools: approved, or new or changed since somebody agreed to them, and what is different.
approve NAME TOOL... | approve NAME --all
    Agrees to definitions as they are now.
authorise NAME
    Prints the address at which you let Parley use the server for you, by OAuth. "authorize" is the same.
token NAME --stdin | token NAME --remove
    Your own token for a connection that wants one of everybody.
change NAME [--title T] [--url URL] [--type http|sse|openapi] [--header "NAME: VALUE"]... [--token T | --token-stdin]
    [--env NAME=VALUE]... [--pinning off|flag|strict]
    What is not given stays, and so do its id and the grants on it. A header without a value is taken away. A stored
    token and stored headers go to the new address.
enable NAME | disable NAME
    One that is switched off takes no call, and its tools are in no list.
remove NAME [--force]
    --force takes it out of virtual MCPs too.
virtual list | virtual enable NAME | virtual disable NAME | virtual remove NAME
virtual change NAME [--title T] [--with CONNECTION[:TOOL,...]]... [--without CONNECTION]...
    Changes what is given and nothing else: --with takes a member in, or gives one other tools, --without takes one out.
virtual create NAME --with CONNECTION[:TOOL,...]...
    A virtual MCP of these connections, or of these tools of them, at <url>/mcp/virtual-mcp/ID. docs/virtual-mcps.md has
    other names, fixed arguments and tools in code.
NAME may also be the id of a connection. docs/gateway.md tells more.`,
  },
  agents: {
    reads: READS_KEY,
    usage:
      'parley agents create NAME | list | show NAME | update NAME | delete NAME | key NAME | tools NAME | channels NAME',
    summary: 'Make, list, change and look at agents, and give them keys',
    details: `create NAME [--tools TOOL,TOOL...] [--description TEXT] [--project ID]
    Prints its key once; with --json one line: {"id": "...", "name": "...", "key": "..."}.
    Without --tools it has the default set: every tool of agents but the privileged ones. "none" gives it no tools.
    "parley agents tools NAME" lists all names. Nobody gives a tool that they do not have; a name that no tool has is
    kept, with a note. --project is the project that it works in; "parley projects list" has the ids.
list
show NAME
update NAME [--name NEW] [--tools TOOL,TOOL...] [--description TEXT] [--project ID]
    --tools replaces the list, "default" goes back to the default set; --project none takes its project away. It counts
    from the next request of the agent.
delete NAME
    Its keys stop at once, and all that is its own goes.
key NAME [--project ID]
    A further key; with a project, its sessions have the bundles of that too.
tools NAME [--source SOURCE] [--unattended] [--project ID]
    Every tool, and whether it has it in such a session. Why not: not_in_set (its list, the default set and its bundles
    leave it out), unattended (blocked while nobody watches), not_granted (whoever made the agent lacks it),
    not_registered (there is no such tool now), agent_missing, capability (a plugin lacks what it needs).
    SOURCE is api without it, or web, agent, mcp, schedule, webhook, remote, telegram, discord, slack.
channels NAME [set TYPE JSON | enable TYPE | disable TYPE | remove TYPE]
    Where it reaches its owner besides the console: webhook, slack, discord, telegram or github, one of each. JSON has
    its settings, such as '{"url": "https://example.com/hook"}'; they are never shown again. "-" reads them from stdin,
    where no other process sees them. docs/agents-owner.md has those of each type.
NAME may also be the id of an agent. docs/agents.md tells more.`,
  },
  questions: {
    reads: READS_KEY,
    usage: 'parley questions list [--all] | answer ID TEXT | answer ID --option N | decline ID',
    summary: 'List and answer what agents ask their owners',
    details: `list [--all]
    Those that are open; with --all the last 100, however they ended.
answer ID TEXT
answer ID --option N
    In your own words, or one of its options, counted from 1. The first answer counts.
decline ID
    The agent is told that you will not answer.
ID is the id of the question, or the first eight characters that "list" shows.`,
  },
  executions: {
    reads: READS_KEY,
    usage: 'parley executions list [--all] | approve ID | deny ID',
    summary: 'List, approve and deny what schedules of agents want to do',
    details: `list [--all]
    Those that wait for approval; with --all the last 200, however they ended.
approve ID
    The last approval that is needed starts it, at a server that runs.
deny ID
    It never runs. What nobody answers lapses after 24 hours.`,
  },
  organizations: {
    reads: READS_KEY,
    usage: 'parley organizations list | create SLUG | rename NAME',
    summary: 'List, create and rename organizations',
    details: `list
create SLUG [--name NAME]
    You become its owner. Its first key is printed once; everything in it is done with a key of its own.
rename NAME [--slug SLUG]
    The organization of the key.`,
  },
  projects: {
    reads: READS_KEY,
    flags: ['project-root'],
    usage: 'parley projects list | create SLUG | set-code ID --folder DIR | unset-code ID',
    summary: 'List and make projects, and say where their code lies',
    details: `Agents find symbols and do work tasks in the code of the projects that they reach. Code is set by owners.
list
create SLUG [--name NAME]
    SLUG is its name in addresses. Give it to an agent with "parley agents update NAME --project ID".
set-code ID --folder DIR [--check COMMAND] [--install COMMAND]
    DIR lies below a folder that --project-root names, here and at the server (or PARLEY_PROJECT_ROOT for both). The
    shell runs COMMAND in a worktree of it: --check after each attempt at a work task, --install before the first one,
    without scripts of dependencies.
unset-code ID
    Forgets it; the folder stays as it is.`,
  },
  pages: {
    reads: [...READS_KEY, 'address'],
    usage: 'parley pages list | allow ORIGIN... | revoke ID | create',
    summary: 'List, bind and revoke the tokens that annotated pages connect with',
    details: `For owners and administrators.
list
allow ORIGIN...
    Only pages of these origins may use the page token from now on, such as http://localhost:5173; others are
    disconnected. "any" lifts it. A page that is not on this machine also needs --allow-origin at the server.
revoke ID
    The token opens nothing any more, and pages that are connected with it are disconnected. The next "parley start"
    makes a new one and prints its script tag; a dev server with the Vite plugin does so when it is started again.
create
    Makes one without a start, when there is no valid one, and prints its script tag.`,
  },
  plugins: {
    reads: READS_KEY,
    usage:
      'parley plugins list | load NAME [--auto-grant] | unload NAME | grant NAME CAPABILITY | revoke NAME CAPABILITY',
    summary: 'Load plugins, whose tools agents get by name, and grant what they may do',
    details: `For owners.
list
load NAME [--auto-grant]
    NAME is a folder in <data>/plugins, or a module that was installed with npm in the data folder. It may do nothing
    but compute until what it declares is granted; --auto-grant grants all of it at once. A server that runs has it within
    a second. What was loaded is known by its files: where one of them changes, the plugin does not run after the next
    start, "list" shows it as changed, and "load" takes the new files, with nothing granted.
unload NAME
    Takes its tools away and forgets what was granted.
grant NAME CAPABILITY
revoke NAME CAPABILITY
    db:read, network:outbound, fs:project-dir, agent:read or session:read. A revoke holds from the next call.
docs/agents-plugins.md tells how to write one.`,
  },
  webhooks: {
    reads: [...READS_KEY, 'egress'],
    usage: 'parley webhooks add URL --events TYPE[,TYPE...] | list | test ID | remove ID',
    summary: 'Tell another server of events: annotations, tasks, feedback, keys, members',
    details: `For owners and administrators with a key for everything.
add URL --events annotation.*,task.completed
    Types by name, by prefix.* or * for all; docs/events.md lists them. The signing secret is printed once. An address on
    this machine or in its network needs --allow-egress HOST:PORT here and at the server, or PARLEY_ALLOW_EGRESS.
list
    Also how the last attempts of each ended: delivered, failing with the reason, or none yet.
test ID
    Sends one test event now, from this process: it needs --allow-egress as "add" does. Exits with 1 when the receiver
    did not take it.
remove ID`,
  },
  feedback: {
    reads: [...READS_KEY, 'address'],
    usage: 'parley feedback publish on|off | import FILE | export [FILE]',
    summary: 'Publish the feedback pages, import and export feedback',
    details: `publish on|off
    Whether everybody who reaches the server can read the public boards.
import FILE [--board SLUG] [--create-boards] [--dry-run]
    Posts from .csv, .json or .jsonl, or an archive that "export" has written, into an empty organization.
    Columns: title, content, board, status, tags, authorEmail, authorName, createdAt; others are ignored.
    --board takes the posts that name no board, --create-boards makes boards that are named and absent,
    --dry-run checks every row and writes nothing. Rows with faults are named and left out; then it exits with 1.
    Run the same command again after it was cut off: it goes on where it ended.
export [FILE] [--posts-csv]
    Everything as JSON Lines, or the posts as CSV; to stdout without FILE. FILE must be new. It holds e-mail addresses.`,
  },
  logs: {
    reads: READS_KEY,
    usage:
      'parley logs [export FILE] [--follow] [--tool NAME] [--caller KEY] [--agent NAME] [--error] [--since 1h]',
    summary: 'Show or export what was called, by whom, and how it ended',
    details: `The last calls, oldest first; --json prints one object per line with input and output, as far as they are kept.
--follow goes on with new calls until Ctrl-C. --limit N shows the last N calls, 20 without it.
--tool NAME, --caller KEY (id or name of a key), --agent NAME (all that it did, with any key or none), --error and
--since 30m, 12h, 7d or a date show only those calls.
export FILE writes all of them, newest first, to a new file: .jsonl or .csv, whose cells no spreadsheet runs as formulas.
The key needs the tool MONITORING_LOGS_LIST.`,
  },
  audit: {
    reads: READS_KEY,
    usage:
      'parley audit [--follow] [--actor WHO] [--action NAME] [--target ID] [--denied] [--since 1h] [--until TIME]',
    summary: 'Show who changed what, and what was denied',
    details: `The last entries of the audit log, newest first; --json prints one object per line.
--follow shows them oldest first and goes on with new ones until Ctrl-C. --limit N shows the last N entries, 20 without it.
--actor WHO (id or name of a key or an agent, e-mail of a member), --action NAME (such as key.created), --target ID,
--denied, --since and --until (30m, 12h, 7d or a date) show only those entries.
For owners and administrators whose key has the grant self:audit_read; agents never. "parley doctor" tells whether the
log is whole.`,
  },
  doctor: {
    reads: ['folder', 'key', 'address', 'every'],
    usage: 'parley doctor [--project FOLDER] [options]',
    summary: 'Check the installation and say how to mend it',
    details: `Checks the runtime, the data folder, the keys, the database, the port, annotations and the client files of a project:
.mcp.json, .cursor/mcp.json, .vscode/mcp.json, opencode.json, .codex/config.toml and .gemini/settings.json.
A wrong key, path, port, program or data folder in them is a finding. A key is tried at this server alone and never printed.
Without --port it is the server that runs on the data folder, whatever its port.
--project FOLDER reads the client files of that folder instead of the current one.`,
  },
  migrate: {
    reads: ['folder', 'every'],
    usage: 'parley migrate [options]',
    summary: 'Bring the database up to date without starting',
    details: '"parley start" does the same by itself.',
  },
  backup: {
    reads: ['folder', 'every'],
    usage: 'parley backup FOLDER [options]',
    summary: 'Copy the databases while the server runs',
    details: `FOLDER must be new or empty. The secret key is not copied: keep <data>/secret.key apart from the backup.
"parley restore" makes a data folder of it again.`,
  },
  restore: {
    reads: ['folder', 'every'],
    usage: 'parley restore BACKUP [--into FOLDER] [options]',
    summary: 'Make a data folder of a backup, whose server waits before it acts',
    details: `BACKUP is a folder that "parley backup" made. --into FOLDER, or --data, must be new, or empty but for secret.key and owner.key.
The secret key that the data was made with comes from PARLEY_SECRET_KEY, from FOLDER or from BACKUP; without it nothing is
made. Every page of the files is looked through, and a database of a newer version is refused.
The original may have run what was due when the backup was made. So a server on FOLDER answers, but holds tasks, schedules
and deliveries back until "parley resume", or "parley start --resume". On PostgreSQL use pg_restore, then "parley hold".`,
  },
  hold: {
    reads: ['folder', 'every'],
    usage: 'parley hold [options]',
    summary: 'Hold tasks, schedules and deliveries back from the next start on',
    details: `For a database that was restored by other means, such as pg_restore, before the first server is started on it.
A server that runs already goes on until it is started again. Nothing that waits is lost; "parley resume" lets it begin.`,
  },
  resume: {
    reads: ['folder', 'every'],
    usage: 'parley resume [options]',
    summary: 'Let what a hold keeps back begin',
    details: `Servers that run begin within two seconds, others at their next start. "parley start --resume" does the same.
It is for the moment when the original has been stopped for good: what both would run, run twice.`,
  },
};

type Options = Readonly<Record<string, Option>>;

const WIDTH = 28;

/** The help of one command, or the overview. */
export function helpFor(
  command?: string,
  toolsets: readonly { readonly settings?: Settings }[] = [],
): string {
  const options = optionsWith(settingsWith(toolsets));
  const known = command !== undefined && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (known === undefined) return overview(options);
  return `${known.summary}.\n\nUsage: ${known.usage}\n\n${known.details}\n\nOptions:\n${optionLines(options, known)}\n`;
}

function overview(options: Options): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(15)}${summary}`);
  return `Parley: what people say reaches agents, and agents act under control.

Usage: parley COMMAND [options]

Commands:
${lines.join('\n')}

Options:
${optionLines(options)}

Each option can also be set by a variable, e.g. ${variableOf('port')}=4680. Flags win over variables.
PARLEY_SECRET_KEY holds the key of the secret box; without it <data>/secret.key is used.
"parley COMMAND --help" tells more about one command.
`;
}

function optionLines(
  options: Options,
  { reads, flags = [] }: Pick<CommandHelp, 'reads' | 'flags'> = {},
): string {
  const isRead = (name: string, { also }: Option) =>
    reads === undefined || (also !== undefined && reads.includes(also)) || flags.includes(name);
  return Object.entries(options)
    .filter(([name, option]) => isRead(name, option))
    .map(([name, option]) => {
      const flag = `--${name}${option.value === '' ? '' : ` ${option.value}`}`;
      return `  ${flag.padEnd(WIDTH)}${option.help}${option.fallback === undefined ? '' : ` (${option.fallback})`}`;
    })
    .join('\n');
}
