"""The dialect described to readers and to tools: the reference page and IRDL."""
