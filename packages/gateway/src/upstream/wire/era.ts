/** A link over HTTP to a server whose era is found out once, remembered, and asked again when it no longer fits. */
import { RPC } from '@parley/kit';
import type { Link, LinkNotice, LinkRequest, LinkWatch, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { Address } from './address.ts';
import { EraFault, shownFault } from './faults.ts';
import type { Home } from './home.ts';
import { Legacy } from './legacy.ts';
import type { Result } from './messages.ts';
import { discover, listen, modernRequest } from './modern.ts';
import type { OpenStream } from './reopen.ts';
import { KeptOpen } from './reopen.ts';
import { untilAborted } from './waiting.ts';

type Era = ServerFacts['era'];

export class HttpLink implements Link {
  readonly #address: Address;
  readonly #home: Home;
  readonly #legacy: Legacy;

  constructor(address: Address, home: Home) {
    this.#address = address;
    this.#home = home;
    this.#legacy = new Legacy(address, home.shelf, home.means);
  }

  async facts(signal?: AbortSignal): Promise<ServerFacts> {
    const ask = async (era: Era) => {
      if (era === 'legacy') return this.#legacy.facts(signal);
      return this.#home.factsOf(this.#address) ?? this.#found(signal);
    };
    try {
      return await (this.#address.target.type === 'SSE' ? ask('legacy') : this.#inEra(ask, signal));
    } catch (error) {
      throw shownFault(error, this.#address.target.secrets);
    }
  }

  async request(request: LinkRequest): Promise<Result> {
    const { headers } = request;
    const isPlain = headers === undefined || Object.keys(headers).length === 0;
    const link = isPlain ? this : new HttpLink(this.#address.with(headers), this.#home);
    try {
      return await link.#send(request);
    } catch (error) {
      throw shownFault(error, this.#address.target.secrets);
    }
  }

  async #send(request: LinkRequest): Promise<Result> {
    if (this.#address.target.type === 'SSE') return this.#legacy.request(request);
    return this.#inEra(
      (era) =>
        era === 'modern'
          ? modernRequest(this.#address, request, this.#home.means)
          : this.#legacy.request(request),
      request.signal,
    );
  }

  async watch(on: (notice: LinkNotice) => void, first?: ReadonlySet<string>): Promise<LinkWatch> {
    const { means } = this.#home;
    means.closing.throwIfAborted();
    let wanted: ReadonlySet<string> = new Set(first);
    const open = () => this.#open(wanted, on);
    const onFault = (error: unknown) => means.onFault(error, 'upstream watch');
    const kept = new KeptOpen({
      open,
      onReopened: () => on({ kind: 'reopened' }),
      limits: means.limits,
      onFault,
    });
    const watch: LinkWatch = {
      async setUris(uris) {
        if (uris.size === wanted.size && [...uris].every((uri) => wanted.has(uri))) return;
        wanted = new Set(uris);
        await kept.open();
      },
      close: async () => {
        this.#home.watches.delete(watch);
        await kept.close();
      },
    };
    this.#home.watches.add(watch);
    await kept.open();
    return watch;
  }

  async #open(uris: ReadonlySet<string>, on: (notice: LinkNotice) => void): Promise<OpenStream | null> {
    const isSse = this.#address.target.type === 'SSE';
    if (isSse) return this.#legacy.watch(uris, on);
    try {
      return await this.#inEra((era) =>
        era === 'modern'
          ? listen(this.#address, this.#home.means, { uris, on })
          : this.#legacy.watch(uris, on),
      );
    } catch (error) {
      if (error instanceof UpstreamFault && error.rpc?.code === RPC.methodNotFound) return null;
      throw error;
    }
  }

  /** Does work in the era of the server; a server that has changed its era has done nothing, so it is done once more. */
  async #inEra<T>(work: (era: Era) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const era = this.#home.era ?? (await this.#found(signal)).era;
    try {
      return await work(era);
    } catch (error) {
      if (!(error instanceof EraFault)) throw error;
      this.#home.forgetEra();
      const { era: now } = await this.#found(signal);
      if (now === era) throw error;
      return work(now);
    }
  }

  #found(signal?: AbortSignal): Promise<ServerFacts> {
    return untilAborted(
      this.#home.finding(this.#address, () => this.#find()),
      signal,
    );
  }

  /** 2026 is tried first; whatever refuses it is spoken to as in 2025, and has to answer then. */
  async #find(): Promise<ServerFacts> {
    let facts: ServerFacts;
    try {
      facts = await discover(this.#address, this.#home.means);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || (error.kind !== 'rpc' && !(error instanceof EraFault)))
        throw error;
      facts = await this.#legacy.facts();
    }
    this.#home.remember(this.#address, facts);
    return facts;
  }
}
