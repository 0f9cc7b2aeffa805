/** The enforcing core: resolve, check, run, check again, record. Every surface calls tools through it and nothing else. */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import type { Guarded, HiddenReason } from '../access/resolver.ts';
import { hiddenReason } from '../access/resolver.ts';
import type { ToolPage, View } from '../catalog/caller-view.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Cursors } from '../catalog/cursor.ts';
import { Endpoints } from '../catalog/endpoints.ts';
import type { Source } from '../catalog/source.ts';
import type { Change, ChangeBus } from '../changes.ts';
import type { StateSealer } from '../channel/sealed-state.ts';
import { createStateSealer } from '../channel/sealed-state.ts';
import type { StepStore } from '../channel/steps.ts';
import { memorySteps } from '../channel/steps.ts';
import type { Extension } from '../protocol/extension.ts';
import { createSkillsExtension } from '../protocol/skills.ts';
import type { Core } from './call.ts';
import type { Documents } from './documents.ts';
import { createDocuments } from './documents.ts';
import { LONGEST_NAME, shortened } from './exchange.ts';
import type { Middleware } from './middleware.ts';
import { composeFailed } from './middleware.ts';
import type { Observer } from './record.ts';
import type { LongResults } from './result-size.ts';
import type { TaskSeam } from './task-seam.ts';
import type { ToolCalls } from './tool-calls.ts';
import { createToolCalls } from './tool-calls.ts';

/** What an engine is built from. */
export interface EngineOptions {
  /** Where tools, resources and prompts come from, each under a name of its own. */
  readonly sources: readonly Source[];
  /** Hears what sources say has changed; absent: nobody is told. */
  readonly changes?: Pick<ChangeBus, 'publish'>;
  readonly middleware?: readonly Middleware[];
  /** Shared by all replicas, so that any of them can finish a round trip; absent: a key of this process. */
  readonly sealer?: StateSealer;
  /** What cursors of lists are signed with, the newest first, shared like the sealer; absent: a key of this process. */
  readonly cursorKeys?: readonly Buffer[];
  readonly steps?: StepStore;
  /** Runs tools that may be tasks as tasks; absent: everything runs inline. */
  readonly tasks?: TaskSeam;
  /** Gets one record per call, read and denial. */
  readonly observe?: Observer;
  /** Gets faults whose details no client may see. */
  readonly onFault?: (error: unknown, where: string) => void;
  readonly maxResultBytes?: number;
  /** Keeps what of results of other servers is over that; absent: it is cut. */
  readonly longResults?: LongResults | undefined;
}

type Member = Pick<Caller, 'organizationId'>;

/** An engine over some sources. */
export interface Engine extends ToolCalls {
  /** What every organization has, under the names of its definitions. */
  readonly common: Catalog;
  /** All that is there for an organization, whoever asks, under the names of its definitions. */
  catalogFor(member: Member): Catalog;
  /** Resolves when all that an organization has is loaded; undefined when it is, so that nobody waits. */
  ready(member: Member): Promise<void> | undefined;
  /** Resolves when lists are worth giving out, though not everything is known; undefined: they are. */
  settled(member: Member): Promise<void> | undefined;
  /** True when a toolset of this name would be served here, whoever has it. */
  covers(toolset: string): boolean;
  /** True when an organization has a toolset of this name. */
  serves(member: Member, toolset: string): boolean;
  readonly documents: Documents;
  view(caller: Caller): View;
  /** Tools by name, in pages; a bad cursor is a protocol fault. */
  list(caller: Caller, cursor?: string): ToolPage;
  /** What a client of the caller is told when it connects. */
  instructionsFor(caller: Caller): string | undefined;
  /** Protocol extensions that come with the engine. */
  readonly extensions: readonly Extension[];
  /** Why a caller does not have a tool, resource or prompt; undefined when they have it. */
  explain(caller: Caller, name: string): HiddenReason | 'unknown' | undefined;
  /** The same engine, narrowed to some toolsets. */
  narrow(toolsets: readonly string[]): Engine;
  /** An engine over other sources, with the same hooks, records and tasks. */
  over(sources: readonly Source[]): Engine;
}

const MAX_RESULT_BYTES = 1024 * 1024;

/** Creates an engine; throws when a toolset of this program is ill-formed or two sources have one name. */
export function createEngine(options: EngineOptions): Engine {
  const middleware = options.middleware ?? [];
  const core: Core = {
    sealer: options.sealer ?? createStateSealer([randomBytes(32)]),
    steps: options.steps ?? memorySteps(),
    observe: withShortNames(options.observe ?? (() => undefined)),
    onFault: options.onFault ?? (() => undefined),
    middleware,
    failed: composeFailed(middleware),
    tasks: options.tasks,
    maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
    longResults: options.longResults,
  };
  const { sources, changes } = options;
  refuseTwins(sources);
  const filters = middleware.flatMap(({ list }) => (list === undefined ? [] : [list]));
  const { tasks, onFault } = core;
  const cursors = new Cursors(options.cursorKeys);
  const over = (given: readonly Source[]): Engine => {
    const endpoints = new Endpoints({
      sources: given,
      filters,
      cursors,
      handleSchema: tasks?.handleSchema,
      onFault,
    });
    for (const source of given) source.onChange?.((change) => announce(change, endpoints, changes));
    return engineOver(endpoints, core, over);
  };
  return over(sources);
}

function refuseTwins(sources: readonly Source[]): void {
  const names = sources.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`There are two sources named "${twice}". Rename one of them.`);
}

/** Passes a change on, for a document also under the URI that its organization sees. */
function announce(change: Change, endpoints: Endpoints, changes: EngineOptions['changes']): void {
  changes?.publish(change);
  if (change.kind !== 'resource' || change.organizationId === undefined) return;
  for (const resource of endpoints.of(change.organizationId).shown.resources) {
    if (change.toolset !== undefined && resource.toolset !== change.toolset) continue;
    const alias = resource.aliasOf(change.uri);
    if (alias !== undefined) changes?.publish({ ...change, uri: alias });
  }
}

/** A name that is nobody's may be as long as a body; no record needs all of it. */
function withShortNames(observe: Observer): Observer {
  return (record) => {
    const name = shortened(record.name, LONGEST_NAME);
    observe(name === record.name ? record : { ...record, name });
  };
}

function engineOver(endpoints: Endpoints, core: Core, over: Engine['over']): Engine {
  const view = (caller: Caller) => endpoints.of(caller.organizationId).view(caller);
  return {
    common: endpoints.common.catalog,
    catalogFor: ({ organizationId }) => endpoints.of(organizationId).catalog,
    ready: ({ organizationId }) => endpoints.ready(organizationId),
    settled: ({ organizationId }) => endpoints.settled(organizationId),
    covers: (toolset) => endpoints.covers(toolset),
    serves: ({ organizationId }, toolset) => endpoints.of(organizationId).has(toolset),
    documents: createDocuments(endpoints, core),
    view,
    list: (caller, cursor) => view(caller).page(caller, cursor),
    instructionsFor: (caller) => view(caller).instructions(caller),
    extensions: [
      ...(core.tasks === undefined ? [] : [core.tasks.extension]),
      createSkillsExtension(endpoints),
    ],
    ...createToolCalls(endpoints, core),
    explain(caller, name) {
      const item = guardedIn(endpoints.of(caller.organizationId).shown, name);
      return item === undefined ? 'unknown' : hiddenReason(item, caller);
    },
    narrow: (toolsets) => engineOver(endpoints.narrow(toolsets), core, over),
    over,
  };
}

/** The tool, resource or prompt of a name; one name means the same grant for all three. */
function guardedIn({ tools, resources, prompts }: Catalog, name: string): Guarded | undefined {
  return [...tools, ...resources, ...prompts].find((item) => item.name === name);
}
