import { serveTasks } from '../../task-thread.ts';
import { TASKS } from './tasks.ts';

serveTasks(TASKS);
