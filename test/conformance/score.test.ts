import { describe, expect, test } from 'vitest';
import type { Requirement } from './requirements.ts';
import { scoredScenarios } from './requirements.ts';
import { judge, scoreOf } from './score.ts';

const requirement: Requirement = { revision: '2026-07-28', requiredChecks: 3, keptGreen: { extra: 1 } };
const check = (status: string, id = 'a') => ({ id, status, errorMessage: 'why' });
const ping = scoreOf('ping', [check('SUCCESS'), check('SUCCESS', 'b')]);
const list = scoreOf('list', [check('SUCCESS'), check('INFO')]);
const extra = scoreOf('extra', [check('SUCCESS')]);
const SCORED = ['ping', 'list'];

describe('the conformance verdict', () => {
  test('full counts reach the bar and notes are not counted', () => {
    expect(judge(requirement, SCORED, [ping, list, extra])).toMatchObject({
      passed: 3,
      total: 3,
      faults: [],
    });
  });

  test.each(['FAILURE', 'WARNING', 'SKIPPED'])('a check of status %s misses the bar', (status) => {
    const broken = scoreOf('list', [check(status)]);
    const verdict = judge(requirement, SCORED, [ping, broken, extra]);
    expect(verdict).toMatchObject({ passed: 2, total: 3 });
    expect(verdict.faults).toEqual([`list a ${status}: why`]);
  });

  test('a scenario that did not run misses the bar', () => {
    expect(judge(requirement, SCORED, [ping, extra]).faults).toEqual([
      'list ran no checks',
      '2 required checks ran, 3 were expected',
    ]);
  });

  test('a scenario outside the score that ran no checks misses the bar', () => {
    const silent = scoreOf('extra', [check('INFO')]);
    expect(judge(requirement, SCORED, [ping, list, silent]).faults).toEqual([
      'extra ran 0 checks, 1 were expected',
    ]);
  });

  test('other scenarios outside the score do not count', () => {
    const foreign = scoreOf('tasks-lifecycle', [check('FAILURE')]);
    expect(judge(requirement, SCORED, [ping, list, extra, foreign]).faults).toEqual([]);
  });

  test('only the server list of the requirement file is scored', () => {
    const yaml = '# note\nserver:\n  - ping\n  - tools-list\n\nclient:\n  - initialize\n';
    expect(scoredScenarios(yaml)).toEqual(['ping', 'tools-list']);
    expect(() => scoredScenarios('client:\n  - initialize\n')).toThrow('no "server:" list');
  });
});
