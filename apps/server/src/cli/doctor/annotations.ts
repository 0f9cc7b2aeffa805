/** Checks of annotations: the page token, a connected page, an agent. */
import { commandWord } from '../../config.ts';
import { annotationHealth, annotationMigrations } from '@parley/annotations';
import type { AnnotationHealth } from '@parley/annotations';
import type { Config } from '../../config.ts';
import type { Check } from '../../health/check.ts';
import { hasDatabase, withStore } from './database.ts';
import type { ViteProject } from './vite-project.ts';

/** One check each; a fresh installation has warnings with the way on, not failures. */
export async function checkAnnotations(config: Config, vite: ViteProject | undefined): Promise<Check[]> {
  if (!(await hasDatabase(config))) return [];
  let health: AnnotationHealth | undefined;
  const broken = await withStore(
    config,
    { name: 'annotations', needs: [annotationMigrations] },
    async (store) => {
      health = await annotationHealth(store, Date.now());
      return { name: 'annotations', state: 'ok', found: 'the tables are there' };
    },
  );
  if (health === undefined) return [broken];
  return [tokenCheck(health, vite), pageCheck(health, vite), agentCheck(health, vite)];
}

function tokenCheck({ pageToken }: AnnotationHealth, vite: ViteProject | undefined): Check {
  const name = 'page token';
  if (pageToken === 'valid') return { name, state: 'ok', found: 'valid' };
  if (pageToken === 'absent')
    return {
      name,
      state: 'warn',
      found: 'there is none yet',
      fix:
        vite === undefined
          ? `Run "${commandWord()} start"; it makes one.`
          : 'The dev server makes one when it starts with parley() in its plugins.',
    };
  const fix = 'Put back the secret.key that the data folder was made with.';
  return { name, state: 'fail', found: 'it was sealed with another secret key', fix };
}

function pageCheck({ connectedPages }: AnnotationHealth, vite: ViteProject | undefined): Check {
  const name = 'page';
  if (connectedPages > 0) return { name, state: 'ok', found: `${connectedPages} connected` };
  return { name, state: 'warn', found: 'no page is connected', fix: pageFix(vite) };
}

function pageFix(vite: ViteProject | undefined): string {
  if (vite === undefined)
    return `Put the script tag that "${commandWord()} start" prints into a page, and open the page.`;
  if (vite.hasPlugin) return 'Start the dev server of this project, and open its page.';
  return `Add parley() of @parley/annotations/vite to the plugins in ${vite.file}, start the dev server, and open its page.`;
}

function agentCheck({ agentSeenAt }: AnnotationHealth, vite: ViteProject | undefined): Check {
  const name = 'agent';
  if (agentSeenAt !== undefined) return { name, state: 'ok', found: `last seen ${agentSeenAt}` };
  const fix =
    vite === undefined
      ? `Connect an agent to the MCP URL that "${commandWord()} start" prints, and give it the prompt start-polling.`
      : 'Connect an agent with the client configuration below, and give it the prompt start-polling.';
  return { name, state: 'warn', found: 'no agent has asked for annotations yet', fix };
}
