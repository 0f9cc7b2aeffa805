/** The plugins of one organization that run in this process, brought in line with the database. */
import { detach, ToolError } from '@parley/kit';
import type { PluginFacts, PluginTool } from './manifest.ts';
import type { PackageCopies } from './package-copies.ts';
import type { PackageFolder } from './package-folder.ts';
import { findPackage } from './package-folder.ts';
import type { PluginTimes } from './process.ts';
import type { LoadedPackage, PluginRowParts } from './rows.ts';
import { activePlugins, describes, refuseTaken, saveChanged, saveCrash } from './rows.ts';
import type { RunningParts } from './running.ts';
import { PluginChanged, RunningPlugin } from './running.ts';
import type { PluginRow } from './schema.ts';

export interface LoadedParts extends PluginRowParts {
  readonly dataDir: string;
  readonly copies: PackageCopies;
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

  /** Starts what is active in the database and does not run here, and ends what is not active any more; `without` is a package that is about to be loaded. */
  sync(without?: string): Promise<void> {
    return this.#next(async () => {
      const rows = this.#isClosed ? [] : await activePlugins(this.#parts.store, this.#organizationId);
      const wanted = new Map(rows.map((row) => [row.generation, row]));
      const gone = this.all.filter(({ row }) => !wanted.has(row.generation));
      for (const plugin of gone) this.#loaded.delete(plugin.row.generation);
      if (gone.length > 0) this.#changed();
      await Promise.all(gone.map((plugin) => this.#stop(plugin)));
      const missing = rows.filter(
        ({ generation, package_name }) => !this.#loaded.has(generation) && package_name !== without,
      );
      await Promise.all(missing.map((row) => this.#start(row)));
    });
  }

  /** Loads a package in place of what was loaded from it before; `save` writes it down once it is prepared. */
  add(packageName: string, save: (loaded: LoadedPackage) => Promise<PluginRow>): Promise<LoadedPlugin> {
    return this.#next(async () => {
      if (this.#isClosed) throw new ToolError('unavailable', 'The server is stopping.');
      const rows = await activePlugins(this.#parts.store, this.#organizationId);
      const { digest } = await findPackage(this.#parts.dataDir, packageName);
      let row: PluginRow | undefined;
      const check = (facts: PluginFacts) => refuseTaken(rows, { packageName, facts, digest });
      const running = await this.#run(
        this.#runningParts(packageName, () => row),
        { digest, check },
      );
      try {
        row = await save({ packageName, facts: running.facts, digest });
      } catch (error) {
        await running.stop();
        await this.#letGo(digest);
        throw error;
      }
      const { name, generation } = row;
      const replaced = this.all.filter((plugin) => plugin.row.name === name);
      for (const plugin of replaced) this.#loaded.delete(plugin.row.generation);
      const plugin = { row, running };
      this.#loaded.set(generation, plugin);
      this.#changed();
      await Promise.all(replaced.map((before) => this.#stop(before)));
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
    const others = this.all.map((plugin) => plugin.row);
    const { digest, package_name: packageName } = row;
    const check = (facts: PluginFacts) => {
      // Nothing makes a plugin say the same of itself each time.
      if (!describes(row, facts)) throw new PluginChanged();
      refuseTaken(others, { packageName, facts, digest });
    };
    try {
      const running = await this.#run(
        this.#runningParts(packageName, () => row),
        { digest, check },
      );
      this.#loaded.set(row.generation, { row, running });
      this.#changed();
    } catch (error) {
      if (error instanceof PluginChanged) await this.#withdraw(row);
      // The others, and the server, go on without it.
      this.#parts.onFault(error, `plugin ${row.name}`);
    }
  }

  async #run(parts: RunningParts, wanted: Parameters<typeof RunningPlugin.load>[1]): Promise<RunningPlugin> {
    this.#parts.copies.hold(wanted.digest);
    try {
      return await RunningPlugin.load(parts, wanted);
    } catch (error) {
      await this.#letGo(wanted.digest);
      throw error;
    }
  }

  /** A package that was looked at before; one that could not be loaded now is not what it was. */
  async #find(packageName: string): Promise<PackageFolder> {
    try {
      return await findPackage(this.#parts.dataDir, packageName);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'invalid') throw new PluginChanged();
      throw error;
    }
  }

  #runningParts(packageName: string, rowOf: () => PluginRow | undefined): RunningParts {
    return {
      find: () => this.#find(packageName),
      copy: (source) => this.#parts.copies.of(source),
      times: this.#parts.times,
      onCrash: () => {
        const row = rowOf();
        if (row === undefined || this.#isClosed) return;
        detach(saveCrash(this.#parts, row.id, row.generation), (error) =>
          this.#parts.onFault(error, `plugin ${row.name}`),
        );
      },
      onChanged: async () => {
        const row = rowOf();
        if (row !== undefined) await this.#withdraw(row);
      },
    };
  }

  /** Takes it out of use everywhere; it does not run here, whether that can be written down or not. */
  async #withdraw(row: PluginRow): Promise<void> {
    await saveChanged(this.#parts, row).catch((error: unknown) =>
      this.#parts.onFault(error, `plugin ${row.name}`),
    );
  }

  async #stop({ row, running }: LoadedPlugin): Promise<void> {
    const error = await running.stop();
    await this.#letGo(row.digest);
    if (error !== undefined) this.#parts.onFault(new Error(error), `plugin ${row.name}: onUnload`);
  }

  /** What is left over is removed at the next start. */
  async #letGo(digest: string): Promise<void> {
    await this.#parts.copies
      .letGo(digest)
      .catch((error: unknown) => this.#parts.onFault(error, 'copies of plugins'));
  }

  #changed(): void {
    this.#parts.onChange(this.#organizationId);
  }
}
