/** Parley's own two tools: who am I, and why does someone not see a tool. */
import { defineToolset, toolsIn } from '@parley/kit';
import type { AppHost } from '../start/served-toolset.ts';
import type { ParleyServices } from './services.ts';
import { createParleyServices } from './services.ts';
import * as explain from './explain.ts';
import * as whoami from './whoami.ts';

export const parleyToolset = defineToolset({
  name: 'parley',
  title: 'Parley',
  tools: toolsIn(whoami, explain),
  roles: { user: [whoami.whoami.name] },
  services: (host: AppHost): ParleyServices => createParleyServices(host),
});
