/** `parley tools`: the tools that a key sees. */
import { loadConfig } from '../config.ts';
import type { Command } from './main.ts';
import { withCaller, withExtendedTools } from './session.ts';
import { requireToolsets } from './some-toolsets.ts';
import { table } from './table.ts';

/** Prints one line per tool. */
export const tools: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { extended: 'switch' }, toolsets });
  return withCaller(config, toolsets, async (host, acting) => {
    const caller =
      extras.extended === true ? withExtendedTools(acting, host.engine().catalogFor(acting).tools) : acting;
    await requireToolsets(host.engine(), acting, positionals);
    const engine = positionals.length === 0 ? host.engine() : host.engine().narrow(positionals);
    const listed = engine.list(caller).tools;
    const text = config.json
      ? JSON.stringify(
          listed.map(({ definition }) => definition),
          null,
          2,
        )
      : table(
          ['TOOL', 'EFFECT', 'TOOLSET', 'TITLE'],
          listed.map((tool) => [tool.name, tool.effect, tool.toolset, tool.definition.title ?? '']),
        );
    process.stdout.write(`${text}\n`);
    return 0;
  });
};
