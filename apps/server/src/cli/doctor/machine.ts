/** Checks of the runtime and of the files in the data folder. */
import { commandWord } from '../../config.ts';
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseLostKey, SecretKeyError } from '@parley/store';
import type { Config } from '../../config.ts';
import type { Check } from '../../health/check.ts';

const REQUIRED = [22, 13] as const;

/** Is this Node new enough. */
export function checkRuntime(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1]);
  if (isNewEnough) return { name: 'runtime', state: 'ok', found: `Node ${version}` };
  const fix = `Install Node ${REQUIRED.join('.')} or newer, or run "npm install" in the project, which brings one.`;
  return { name: 'runtime', state: 'fail', found: `Node ${version}`, fix };
}

/** Is the data folder there, writable, and closed to others. */
export async function checkDataFolder({ dataDir }: Config): Promise<Check> {
  const name = 'data folder';
  // What cannot be looked at counts as not there.
  const info = await stat(dataDir).catch(() => undefined);
  if (info === undefined) {
    return {
      name,
      state: 'warn',
      found: `${dataDir} does not exist yet`,
      fix: `Run "${commandWord()} start"; it makes the folder.`,
    };
  }
  if (!info.isDirectory()) {
    return {
      name,
      state: 'fail',
      found: `${dataDir} is not a folder`,
      fix: 'Choose another folder with --data.',
    };
  }
  const canWrite = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!canWrite)
    return {
      name,
      state: 'fail',
      found: `${dataDir} cannot be written`,
      fix: `Give this user the folder: chown -R $(id -u) ${dataDir}`,
    };
  return modeCheck(name, dataDir, info.mode, 0o700);
}

/** Is the key of the secret box there and closed to others. */
export async function checkSecretKey(config: Config): Promise<Check> {
  const { dataDir, secretKey } = config;
  const name = 'secret key';
  if (secretKey !== undefined) return { name, state: 'ok', found: 'PARLEY_SECRET_KEY' };
  const file = join(dataDir, 'secret.key');
  // What cannot be looked at counts as not there.
  const info = await stat(file).catch(() => undefined);
  if (info !== undefined) return modeCheck(name, file, info.mode, 0o600);
  const found = `${file} does not exist`;
  if (!(await isNeeded(config))) return { name, state: 'warn', found, fix: 'The first start makes it.' };
  const fix = 'Put back the secret.key that the data was made with, or set PARLEY_SECRET_KEY to it.';
  return { name, state: 'fail', found, fix };
}

/** True when there is data that no key is there for. */
async function isNeeded(config: Config): Promise<boolean> {
  try {
    await refuseLostKey(placeOf(config));
    return false;
  } catch (error) {
    // A database that cannot be asked is a finding of its own.
    return error instanceof SecretKeyError;
  }
}

function placeOf({ dataDir, databaseUrl }: Config) {
  return { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) };
}

/** Warns when others can read what only the owner should. */
export function modeCheck(name: string, path: string, mode: number, wanted: number): Check {
  const others = mode & 0o077;
  if (others === 0 || process.platform === 'win32') return { name, state: 'ok', found: path };
  const found = `${path} can be read by others (mode ${(mode & 0o777).toString(8)})`;
  return { name, state: 'warn', found, fix: `chmod ${wanted.toString(8)} ${path}` };
}
