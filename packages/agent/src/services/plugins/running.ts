/** A plugin that is loaded: one process at a time, started again when it is needed after it ended. */
import { detach, ToolError } from '@parley/kit';
import type { PluginFacts } from './manifest.ts';
import { readFacts } from './manifest.ts';
import type { PackageFolder } from './package-folder.ts';
import type { PluginCall, PluginResult, PluginTimes } from './process.ts';
import { PluginProcess } from './process.ts';

/** How a plugin is run. */
export interface RunningParts {
  readonly source: PackageFolder;
  readonly times: PluginTimes;
  /** Told when its process ended by itself. */
  onCrash(): void;
}

export class RunningPlugin {
  readonly facts: PluginFacts;
  readonly #parts: RunningParts;
  #process: Promise<PluginProcess> | undefined;
  #isStopped = false;

  private constructor(facts: PluginFacts, parts: RunningParts, first: PluginProcess) {
    this.facts = facts;
    this.#parts = parts;
    this.#process = Promise.resolve(first);
    this.#watch(first);
  }

  /** Starts the plugin; `check` refuses it before anything of it is prepared. */
  static async load(parts: RunningParts, check: (facts: PluginFacts) => void): Promise<RunningPlugin> {
    const process = new PluginProcess(parts.source, parts.times);
    try {
      const facts = readFacts(await process.describe(parts.source.entry));
      check(facts);
      await process.start();
      return new RunningPlugin(facts, parts, process);
    } catch (error) {
      process.kill();
      await process.gone;
      throw error;
    }
  }

  async call(call: PluginCall): Promise<PluginResult> {
    const process = await (this.#process ??= this.#restart());
    if (!process.isEnding) return process.call(call);
    await process.gone;
    return (await (this.#process ??= this.#restart())).call(call);
  }

  /** Ends it; returns what went wrong in the plugin. */
  async stop(): Promise<string | undefined> {
    this.#isStopped = true;
    // One that did not start has nothing to tidy up, and whoever called was told.
    const process = await this.#process?.catch(() => undefined);
    return process?.unload();
  }

  async #restart(): Promise<PluginProcess> {
    const { source, times } = this.#parts;
    const process = new PluginProcess(source, times);
    this.#watch(process);
    try {
      const facts = readFacts(await process.describe(source.entry));
      // What was loaded is what was looked at and granted.
      if (JSON.stringify(facts) !== JSON.stringify(this.facts))
        throw new ToolError(
          'unavailable',
          'The plugin changed since it was loaded. An owner has to load it again.',
        );
      await process.start();
      if (this.#isStopped) throw new ToolError('unavailable', 'The plugin is being unloaded.');
    } catch (error) {
      process.kill();
      await process.gone;
      throw error;
    }
    return process;
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
