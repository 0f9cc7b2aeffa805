/** The server as a library: for tests, benches, and programs that bring toolsets of their own. */
export { createApp } from './app.ts';
export type { App, AppOptions } from './app.ts';
export { main } from './cli/main.ts';
export { loadConfig } from './config.ts';
export type { Config } from './config.ts';
export { openPathsOf } from './start/served-toolset.ts';
export type { AppHost, ServedToolset } from './start/served-toolset.ts';
export { loadOwnToolsets } from './toolsets.ts';
export { ABSENT_FILES, ABSENT_OAUTH } from './known-strangers.ts';
export { OPEN_ROUTES } from './probes.ts';
