/** How a program is opened: in the words of 2026 first, in those of 2025 otherwise, and anew for one that ends at unknown words. */
import { detach } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import { invalid, unreachable } from './faults.ts';
import type { ProgramTimes } from './times.ts';
import type { Params, Wire } from './wire.ts';

export const MODERN = '2026-07-28';
const NEWEST_LEGACY = '2025-11-25';
const MOST_NAME = 500;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Everything that a program may ask at all; what the client of a call cannot answer is declined when it comes. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export interface Opening {
  /** Starts a process of the program. */
  start(): Promise<Wire>;
  /** The era that was seen last. */
  readonly era: ServerFacts['era'] | null;
  readonly info: { readonly name: string; readonly version: string };
  readonly times: ProgramTimes;
}

export interface Opened {
  readonly wire: Wire;
  readonly facts: ServerFacts;
}

/** What every request of the 2026 era carries. */
export function envelope(info: Opening['info'], capabilities: Params): Params {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** Starts a program and learns what it is; what was started for nothing ends. Throws an `UpstreamFault`. */
export async function openProgram(opening: Opening): Promise<Opened> {
  return new Handshake(opening).run();
}

interface Failed {
  readonly fault: UpstreamFault;
  /** True: it ran, and ended by itself. */
  readonly hasEnded: boolean;
}

class Handshake {
  readonly #opening: Opening;
  #deadline: number | undefined;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  async run(): Promise<Opened> {
    const isLegacy = this.#opening.era === 'legacy';
    const first = await this.#attempt((wire) => (isLegacy ? this.#asLegacy(wire) : this.#asModern(wire)));
    if ('facts' in first) return first;
    if (isLegacy || !first.hasEnded) throw first.fault;
    // Some of the 2025 revisions end at a request that they do not know: those are asked anew, in their own words.
    const second = await this.#attempt((wire) => this.#initialize(wire));
    if ('facts' in second) return second;
    throw second.fault;
  }

  async #attempt(ask: (wire: Wire) => Promise<ServerFacts>): Promise<Opened | Failed> {
    const wire = await this.#opening.start();
    // The wait for a place does not count.
    this.#deadline ??= performance.now() + this.#opening.times.handshakeMs;
    try {
      return { wire, facts: await ask(wire) };
    } catch (error) {
      const ending = wire.child.end(this.#opening.times);
      detach(ending, () => undefined); // an end cannot fail
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind !== 'dropped') return { fault: beforeRequest(error), hasEnded: false };
      const { wasNeverThere } = await wire.child.gone;
      const message = wasNeverThere
        ? 'The program could not be started. Check that the command is installed on the server.'
        : 'The program ended before it answered. Look at what it wrote to its standard error.';
      return { fault: unreachable(message), hasEnded: !wasNeverThere };
    }
  }

  async #asLegacy(wire: Wire): Promise<ServerFacts> {
    try {
      return await this.#initialize(wire);
    } catch (error) {
      // A program that was replaced by one of 2026.
      if (error instanceof UpstreamFault && error.kind === 'rpc') return this.#discover(wire);
      throw error;
    }
  }

  async #asModern(wire: Wire): Promise<ServerFacts> {
    const discovery = this.#discover(wire);
    const silence = Promise.withResolvers<undefined>();
    const timer = setTimeout(silence.resolve, this.#opening.times.probeMs);
    // Where it is refused, the words of 2025 are tried, and what those fail with is told.
    const early = await Promise.race([discovery.catch(() => undefined), silence.promise]);
    clearTimeout(timer);
    if (early !== undefined) return early;
    try {
      return await this.#initialize(wire);
    } catch (error) {
      // It only was slow to start: whoever refuses the second question is asked for the answer to the first.
      if (error instanceof UpstreamFault && error.kind === 'rpc') return discovery;
      throw error;
    }
  }

  async #discover(wire: Wire): Promise<ServerFacts> {
    const params = { _meta: envelope(this.#opening.info, {}) };
    const result = await this.#ask(wire, 'server/discover', params);
    const { supportedVersions, capabilities, instructions, _meta: meta, serverInfo } = result;
    if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN))
      throw invalid('The program does not speak a revision of MCP that is known here.');
    const named = isObject(meta) ? meta['io.modelcontextprotocol/serverInfo'] : undefined;
    return {
      era: 'modern',
      protocolVersion: MODERN,
      capabilities: isObject(capabilities) ? capabilities : {},
      info: infoOf(named ?? serverInfo),
      instructions: typeof instructions === 'string' ? instructions : null,
    };
  }

  async #initialize(wire: Wire): Promise<ServerFacts> {
    const { info } = this.#opening;
    const params = { protocolVersion: NEWEST_LEGACY, capabilities: ASKABLE, clientInfo: info };
    const result = await this.#ask(wire, 'initialize', params);
    const { protocolVersion, capabilities, serverInfo, instructions } = result;
    if (typeof protocolVersion !== 'string' || !DATE.test(protocolVersion) || protocolVersion >= MODERN)
      throw invalid('The program does not speak a revision of MCP that is known here.');
    wire.notify('notifications/initialized');
    return {
      era: 'legacy',
      protocolVersion,
      capabilities: isObject(capabilities) ? capabilities : {},
      info: infoOf(serverInfo),
      instructions: typeof instructions === 'string' ? instructions : null,
    };
  }

  async #ask(wire: Wire, method: string, params: Params): Promise<Params> {
    const limitMs = Math.max(0, (this.#deadline ?? 0) - performance.now());
    return wire.request(method, params, { limitMs, isSilent: true });
  }
}

/** What a handshake failed with, for a request that has not left yet. */
function beforeRequest({ kind, message, rpc }: UpstreamFault): UpstreamFault {
  const words = rpc === undefined ? message : `The program refused to be opened: ${rpc.message}`;
  return new UpstreamFault(kind === 'rpc' ? 'invalid_result' : kind, words, { wasSent: false });
}

function infoOf(given: unknown): ServerFacts['info'] {
  if (!isObject(given) || typeof given.name !== 'string') return null;
  const { name, version, title } = given;
  return {
    name: name.slice(0, MOST_NAME),
    version: typeof version === 'string' ? version.slice(0, MOST_NAME) : '',
    ...(typeof title === 'string' && { title: title.slice(0, MOST_NAME) }),
  };
}
