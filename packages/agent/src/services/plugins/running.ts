/** A plugin that is loaded: one process at a time, started again when it is needed after it ended, as long as its package stays what it was. */
import { detach, ToolError } from '@parley/kit';
import type { PluginFacts } from './manifest.ts';
import { readFacts } from './manifest.ts';
import { digestOf } from './package-digest.ts';
import type { PackageFolder } from './package-folder.ts';
import type { PluginCall, PluginResult, PluginTimes } from './process.ts';
import { PluginProcess } from './process.ts';

/** How a plugin is run. */
export interface RunningParts {
  readonly times: PluginTimes;
  /** The package as it lies there now. */
  readonly find: () => Promise<PackageFolder>;
  /** A copy of it that nobody changes, which is what runs. */
  readonly copy: (source: PackageFolder) => Promise<PackageFolder>;
  /** Told when its process ended by itself. */
  onCrash(): void;
  /** Told when the package is not what was loaded any more. */
  onChanged(): Promise<void>;
}

/** The package is not what was loaded, and so not what anything was granted to. */
export class PluginChanged extends ToolError<'unavailable'> {
  constructor() {
    super(
      'unavailable',
      'The plugin changed since it was loaded, so it does not run. An owner loads it again.',
    );
  }
}

export class RunningPlugin {
  readonly facts: PluginFacts;
  /** Of the package that it was loaded from. */
  readonly #digest: string;
  readonly #parts: RunningParts;
  #process: Promise<PluginProcess> | undefined;
  #isStopped = false;

  private constructor(parts: RunningParts, digest: string, { facts, process }: Begun) {
    this.facts = facts;
    this.#digest = digest;
    this.#parts = parts;
    this.#process = Promise.resolve(process);
    this.#watch(process);
  }

  /** Starts the plugin of the package with this digest; `check` refuses it before anything of it is prepared. */
  static async load(
    parts: RunningParts,
    { digest, check }: { readonly digest: string; readonly check: Check },
  ): Promise<RunningPlugin> {
    return new RunningPlugin(parts, digest, await begin(parts, { digest, check }));
  }

  async call(call: PluginCall): Promise<PluginResult> {
    const process = await this.#started();
    if (!process.isEnding) return process.call(call);
    await process.gone;
    return (await this.#started()).call(call);
  }

  /** Ends it; returns what went wrong in the plugin. */
  async stop(): Promise<string | undefined> {
    this.#isStopped = true;
    // One that did not start has nothing to tidy up, and whoever called was told.
    const process = await this.#process?.catch(() => undefined);
    return process?.unload();
  }

  #started(): Promise<PluginProcess> {
    if (this.#process !== undefined) return this.#process;
    const starting = this.#restart();
    this.#process = starting;
    // Whoever called gets the fault; the next one tries again.
    detach(starting, () => {
      if (this.#process === starting) this.#process = undefined;
    });
    return starting;
  }

  async #restart(): Promise<PluginProcess> {
    try {
      const { process } = await begin(this.#parts, {
        digest: this.#digest,
        onMade: (made) => this.#watch(made),
        check: (facts) => {
          if (JSON.stringify(facts) !== JSON.stringify(this.facts)) throw new PluginChanged();
          if (this.#isStopped) throw new ToolError('unavailable', 'The plugin is being unloaded.');
        },
      });
      return process;
    } catch (error) {
      if (error instanceof PluginChanged) await this.#parts.onChanged();
      throw error;
    }
  }

  #watch(process: PluginProcess): void {
    const ended = () => {
      this.#process = undefined;
      if (!process.isEnding && !this.#isStopped) this.#parts.onCrash();
    };
    // It only ever resolves.
    detach(process.gone.then(ended), () => undefined);
  }
}

type Check = (facts: PluginFacts) => void;

interface Begun {
  readonly facts: PluginFacts;
  readonly process: PluginProcess;
}

interface Beginning {
  readonly digest: string;
  readonly check: Check;
  readonly onMade?: (process: PluginProcess) => void;
}

/** Starts a process, and ends it again where something is wrong with it. */
async function begin(
  { times, find, copy }: RunningParts,
  { digest, check, onMade }: Beginning,
): Promise<Begun> {
  const source = await find();
  if (source.digest !== digest) throw new PluginChanged();
  const own = await copy(source);
  const process = new PluginProcess(own, times);
  onMade?.(process);
  try {
    const facts = readFacts(await process.describe(own.entry));
    // Nobody changes a copy, unless they can write to the data folder.
    if ((await digestOf(own.folder)) !== digest) throw new PluginChanged();
    check(facts);
    await process.start();
    return { facts, process };
  } catch (error) {
    process.kill();
    await process.gone;
    throw error;
  }
}
