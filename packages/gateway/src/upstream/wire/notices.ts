/** What servers tell without being asked: progress and messages of a call, and changes. */
import type { LogLevel } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { LinkNotice, LinkRequest } from '../link.ts';
import type { Message } from './messages.ts';

const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] satisfies LogLevel[];

/** The order of a level, mildest first; -1 for what is none. */
export function rankOf(level: unknown): number {
  return typeof level === 'string' ? LEVELS.indexOf(level) : -1;
}

/** Tells the client how far the call is, when the progress is that of this call. */
export function tellProgress({ params }: Message, token: number, { onProgress }: LinkRequest): void {
  if (onProgress === undefined || !isObject(params) || params.progressToken !== token) return;
  const { progress, total, message } = params;
  if (typeof progress !== 'number') return;
  onProgress(
    progress,
    typeof total === 'number' ? total : undefined,
    typeof message === 'string' ? message : undefined,
  );
}

/** Passes on a message that is not milder than what the client asked for. */
export function tellLog({ params }: Message, { log }: LinkRequest): void {
  if (log === undefined || !isObject(params) || rankOf(params.level) < rankOf(log.level)) return;
  // Its rank was just seen to be one of those.
  const level = params.level as LogLevel;
  log.on(level, params.data, typeof params.logger === 'string' ? params.logger : undefined);
}

/** The change that a notification tells of; undefined when it tells of none. */
export function noticeOf({ method, params }: Message): LinkNotice | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return { kind: 'tools' };
    case 'notifications/prompts/list_changed':
      return { kind: 'prompts' };
    case 'notifications/resources/list_changed':
      return { kind: 'resources' };
    case 'notifications/resources/updated':
      return isObject(params) && typeof params.uri === 'string'
        ? { kind: 'resource', uri: params.uri }
        : undefined;
    default:
      return undefined;
  }
}
