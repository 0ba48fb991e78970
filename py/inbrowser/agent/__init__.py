"""A conversation with a model that uses tools."""

from .models import create_model as create_model
from .session import AgentRun as AgentRun
from .session import AgentSession as AgentSession
from .session import create_agent_session as create_agent_session
from .strategies.react import create_react_loop_strategy as create_react_loop_strategy
from .tool_set import ToolSet as ToolSet
from .tools import AgentTools as AgentTools
from .tools import ToolCall as ToolCall
from .tools import ToolContext as ToolContext
from .tools import ToolOutput as ToolOutput
