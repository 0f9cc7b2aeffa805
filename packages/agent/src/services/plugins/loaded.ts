/** The plugins of one organization that run in this process, brought in line with the database. */
import { detach, ToolError } from '@parley/kit';
import type { PluginFacts, PluginTool } from './manifest.ts';
import { findPackage } from './package-folder.ts';
import type { PluginTimes } from './process.ts';
import { activePlugins, refuseTaken, saveCrash } from './rows.ts';
import type { PluginRowParts } from './rows.ts';
import { RunningPlugin } from './running.ts';
import type { PluginRow } from './schema.ts';

export interface LoadedParts extends PluginRowParts {
  readonly dataDir: string;
  readonly times: PluginTimes;
  readonly onFault: (error: unknown, where: string) => void;
  /** Told whenever there are other tools. */
  onChange(organizationId: string): void;
}

/** A plugin that runs, and the row that it was loaded by. */
export interface LoadedPlugin {
  readonly row: PluginRow;
  readonly running: RunningPlugin;
}

/** A tool that can be called. */
export interface LoadedTool extends LoadedPlugin {
  readonly tool: PluginTool;
}

export class LoadedPlugins {
  readonly #parts: LoadedParts;
  readonly #organizationId: string;
  readonly #loaded = new Map<string, LoadedPlugin>();
  #work: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: LoadedParts, organizationId: string) {
    this.#parts = parts;
    this.#organizationId = organizationId;
  }

  get all(): LoadedPlugin[] {
    return [...this.#loaded.values()];
  }

  /** In the order of their plugins' names. */
  get tools(): LoadedTool[] {
    return this.all
      .toSorted((a, b) => (a.row.name < b.row.name ? -1 : 1))
      .flatMap((plugin) => plugin.running.facts.tools.map((tool) => ({ ...plugin, tool })));
  }

  /** Starts what is active in the database and does not run here, and ends what is not active any more. */
  sync(): Promise<void> {
    return this.#next(async () => {
      const rows = this.#isClosed ? [] : await activePlugins(this.#parts.store, this.#organizationId);
      const wanted = new Map(rows.map((row) => [row.generation, row]));
      const gone = this.all.filter(({ row }) => !wanted.has(row.generation));
      for (const plugin of gone) this.#loaded.delete(plugin.row.generation);
      if (gone.length > 0) this.#changed();
      await Promise.all(gone.map((plugin) => this.#stop(plugin)));
      const missing = rows.filter(({ generation }) => !this.#loaded.has(generation));
      await Promise.all(missing.map((row) => this.#start(row)));
    });
  }

  /** Loads a package for the first time; `save` writes it down once it is prepared. */
  add(packageName: string, save: (facts: PluginFacts) => Promise<PluginRow>): Promise<LoadedPlugin> {
    return this.#next(async () => {
      if (this.#isClosed) throw new ToolError('unavailable', 'The server is stopping.');
      const rows = await activePlugins(this.#parts.store, this.#organizationId);
      let row: PluginRow | undefined;
      const running = await this.#run(
        packageName,
        (facts) => refuseTaken(rows, facts),
        () => row,
      );
      try {
        row = await save(running.facts);
      } catch (error) {
        await running.stop();
        throw error;
      }
      const plugin = { row, running };
      this.#loaded.set(row.generation, plugin);
      this.#changed();
      return plugin;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.sync();
  }

  /** One thing after the other, whatever became of the one before. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#work.then(work, work);
    // Whoever asked for it hears of its fault.
    this.#work = next.catch(() => undefined);
    return next;
  }

  async #start(row: PluginRow): Promise<void> {
    const { onFault } = this.#parts;
    const others = this.all.map((plugin) => plugin.row);
    const check = (facts: PluginFacts) => {
      if (facts.name !== row.name) throw new Error(`The package now holds another plugin, "${facts.name}".`);
      refuseTaken(others, facts);
    };
    try {
      const running = await this.#run(row.package_name, check, () => row);
      this.#loaded.set(row.generation, { row, running });
      this.#changed();
    } catch (error) {
      // The others, and the server, go on without it.
      onFault(error, `plugin ${row.name}`);
    }
  }

  async #run(
    packageName: string,
    check: (facts: PluginFacts) => void,
    rowOf: () => PluginRow | undefined,
  ): Promise<RunningPlugin> {
    const { dataDir, times } = this.#parts;
    const source = await findPackage(dataDir, packageName);
    const onCrash = () => {
      const row = rowOf();
      if (row === undefined || this.#isClosed) return;
      detach(saveCrash(this.#parts, row.id, row.generation), (error) =>
        this.#parts.onFault(error, `plugin ${row.name}`),
      );
    };
    return RunningPlugin.load({ source, times, onCrash }, check);
  }

  async #stop({ row, running }: LoadedPlugin): Promise<void> {
    const error = await running.stop();
    if (error !== undefined) this.#parts.onFault(new Error(error), `plugin ${row.name}: onUnload`);
  }

  #changed(): void {
    this.#parts.onChange(this.#organizationId);
  }
}
