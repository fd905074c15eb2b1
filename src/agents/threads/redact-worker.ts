import { serveTasks } from '../../task-thread.ts';
import { TASKS } from './redact-message.ts';

serveTasks(TASKS);
