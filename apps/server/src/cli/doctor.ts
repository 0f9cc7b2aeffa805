/** `parley doctor`: checks the installation, one line per check, with a fix for each problem. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { loadConfig, UsageError, variable } from '../config.ts';
import type { OptionName } from '../options.ts';
import { variableOf } from '../options.ts';
import { notedAddress } from '../served-address.ts';
import { allToolsets } from '../start/host.ts';
import { checkAnnotations } from './doctor/annotations.ts';
import { checkAuditLog } from './doctor/audit.ts';
import { checkClients } from './doctor/clients.ts';
import { checkConnections } from './doctor/connections.ts';
import { checkDatabase, checkFiles, checkOwnerKey } from './doctor/database.ts';
import { checkHold } from './doctor/hold.ts';
import { checkDataFolder, checkRuntime, checkSecretKey } from './doctor/machine.ts';
import { checkGivenKey } from './doctor/keys.ts';
import { checkPort, isParley } from './doctor/port.ts';
import { checkWebhooks } from './doctor/webhooks.ts';
import type { ViteProject } from './doctor/vite-project.ts';
import { viteProject } from './doctor/vite-project.ts';
import type { Check } from '../health/check.ts';
import type { Command } from './main.ts';

// From the bundle in dist and from the source alike.
const LAUNCHER = import.meta.url.endsWith('.ts') ? '../../bin/parley.js' : '../bin/parley.js';

/** Runs every check; exit code 1 when one failed. */
export const doctor: Command = async (args, toolsets) => {
  const { config: given, extras } = loadConfig(args, { extra: { project: 'text' }, toolsets });
  const config = await asServed(given, args);
  const project = projectFolder(extras.project);
  const names = (await allToolsets({ toolsets })).map(({ name }) => name);
  const launcher = fileURLToPath(new URL(LAUNCHER, import.meta.url));
  const vite = await viteProject(project);
  const pages = { ...config, dataDir: pageFolder(config, project, vite, args) };
  // Before anything else opens them, so that it is said when the log of another database lies beside one.
  const files = await checkFiles(config);
  const connections = await checkConnections(config);
  const checks: Check[] = [
    checkRuntime(process.versions.node),
    await checkDataFolder(config),
    await checkSecretKey(config),
    await checkDatabase(config, toolsets),
    ...files,
    ...(await checkHold(config)),
    await checkOwnerKey(config),
    ...(await checkAuditLog(config)),
    ...(await checkGivenKey(config)),
    await checkPort(config),
    ...connections.checks,
    ...(await checkWebhooks(config)),
    ...(await checkAnnotations(pages, vite)),
    ...(await checkClients({
      config,
      project,
      pageDataDir: pages.dataDir,
      lookup: variable,
      toolsets: names,
      paths: connections.paths,
      launcher,
      vite,
    })),
  ];
  const isHealthy = checks.every(({ state }) => state !== 'fail');
  process.stdout.write(config.json ? `${JSON.stringify({ healthy: isHealthy, checks })}\n` : report(checks));
  return isHealthy ? 0 : 1;
};

/** The configuration with the address at which a server of this folder answers, unless another port is asked for. */
async function asServed(config: Config, args: readonly string[]): Promise<Config> {
  if (config.port !== 0 && isGiven('port', args)) return config;
  const noted = notedAddress(config);
  return noted !== undefined && (await isParley(noted.host, noted.port)) ? { ...config, ...noted } : config;
}

/** True when a flag or a variable says it. */
function isGiven(option: OptionName, args: readonly string[]): boolean {
  const flag = `--${option}`;
  return (
    args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)) ||
    variable(variableOf(option)) !== undefined
  );
}

/** Where the pages of the project keep their notes: with a dev server in the project itself, unless a folder was named. */
function pageFolder(
  { dataDir, databaseUrl }: Config,
  project: string,
  vite: ViteProject | undefined,
  args: readonly string[],
): string {
  if (isGiven('data', args) || databaseUrl !== undefined || vite?.hasPlugin !== true) return dataDir;
  return join(project, '.parley');
}

function projectFolder(given: unknown): string {
  const folder = resolve(typeof given === 'string' ? given : '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(`--project: ${folder} is not a folder`);
}

function report(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ state, name, found, fix }) => [
    `${state.padEnd(4)}  ${name.padEnd(width)}  ${found}`,
    ...(fix === undefined ? [] : [`${' '.repeat(width + 8)}fix: ${fix}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
