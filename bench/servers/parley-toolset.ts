/** The bench tools as a Parley toolset. */
import { defineTool, defineToolset } from '@parley/kit';
import { benchTools } from '../tools.ts';

/** A toolset `bench` with `count` tools. */
export function benchToolset(count: number) {
  const tools = benchTools(count).map(({ name, description, input, output, run }) =>
    defineTool({ name, title: name, description, effect: 'read', input, output, run: (value) => run(value) }),
  );
  return defineToolset({ name: 'bench', title: 'Bench', tools });
}
