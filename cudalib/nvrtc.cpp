/*
 * NVRTC: compilation at run time, by the `heddle cc` that belongs to this library, in a folder of its own below TMPDIR.
 *
 * For each name expression E the program gets a line
 *     __device__ auto *__nvrtc_name_N = &(E);
 * which makes an instance of a template; in the PTX the variable's initial value is the lowered name.
 */
#include <nvrtc.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

struct _nvrtcProgram {
	std::string source, name, ptx, log;
	std::vector<std::pair<std::string, std::string>> headers; /* name, text */
	struct expression {
		std::string text, lowered;
	};
	std::vector<expression> expressions;
	bool compiled = false;
};

namespace {

/* The command beside this library, or where an installation has it. */
std::string command()
{
	Dl_info where;
	if (const char *set = getenv("HEDDLE"))
		return set;
	if (dladdr((void *)&nvrtcVersion, &where)) {
		std::error_code none;
		fs::path dir = fs::canonical(where.dli_fname, none).parent_path();
		for (const char *at : {"heddle", "../bin/heddle", "../../bin/heddle"})
			if (access((dir / at).c_str(), X_OK) == 0)
				return (dir / at).string();
	}
	return "heddle";
}

void write(const fs::path &path, const std::string &text)
{
	fs::create_directories(path.parent_path());
	std::ofstream(path, std::ios::binary) << text;
}

std::string slurp(const fs::path &path)
{
	std::ostringstream text;
	text << std::ifstream(path, std::ios::binary).rdbuf();
	return text.str();
}

/* Runs a command with its messages to a file; true: exit status 0. */
bool run(const std::vector<std::string> &words, const fs::path &messages)
{
	pid_t child = fork();
	if (child == 0) {
		std::vector<char *> argv;
		for (const std::string &w : words)
			argv.push_back(const_cast<char *>(w.c_str()));
		argv.push_back(nullptr);
		if (!freopen(messages.c_str(), "w", stderr) || dup2(2, 1) < 0)
			_exit(127);
		execvp(argv[0], argv.data());
		fprintf(stderr, "libnvrtc: %s: cannot be run; HEDDLE names the heddle command\n", argv[0]);
		_exit(127);
	}
	int status = 0;
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Options that only NVRTC has. *everywhere: functions without a qualifier are the device's. */
bool is_own(const std::string &option, bool *everywhere)
{
	if (option == "-default-device" || option == "--device-as-default-execution-space" ||
	    option == "-device-as-default-execution-space")
		return *everywhere = true;
	for (const char *start : {"--builtin-", "-builtin-", "--modify-stack-limit", "-modify-stack-limit", "--pch", "-pch",
				  "--dopt", "-dopt", "--minimal", "-minimal", "--no-source-include", "-no-source-include"})
		if (option.rfind(start, 0) == 0)
			return true;
	return false;
}

/* The name in a variable's initial value: `NAME = _Z1kPi;` or `NAME = generic(x);` */
std::string initial_value(const std::string &ptx, const std::string &variable)
{
	size_t at = ptx.find(variable + " = ");
	if (at == std::string::npos)
		return "";
	at += variable.size() + 3;
	if (ptx.compare(at, 8, "generic(") == 0)
		at += 8;
	return ptx.substr(at, ptx.find_first_of(");\n", at) - at);
}

/* The end of the comment, string or character that starts at `at`; `at` if none starts there. */
size_t past_opaque(const std::string &text, size_t at)
{
	size_t end = at;
	if (text.compare(at, 2, "//") == 0) {
		end = text.find('\n', at);
	} else if (text.compare(at, 2, "/*") == 0) {
		end = text.find("*/", at + 2);
		end = end == std::string::npos ? end : end + 2;
	} else if (text[at] == '"' || text[at] == '\'') {
		for (end++; end < text.size() && text[end] != text[at] && text[end] != '\n'; end++)
			end += text[end] == '\\';
		end++;
	}
	return end < text.size() ? end : text.size();
}

/* The place after the `{` or `;` that ends a declaration's head; npos if its directive ends earlier. */
size_t past_head(const std::string &text, size_t at)
{
	size_t line = text.rfind('\n', at) + 1, first = text.find_first_not_of(" \t", line);
	while (line > 1 && text[line - 2] == '\\') { /* a directive's later lines */
		line = text.rfind('\n', line - 2) + 1;
		first = text.find_first_not_of(" \t", line);
	}
	bool directive = text[first] == '#';
	for (int depth = 0; at < text.size(); at++) {
		size_t end = past_opaque(text, at);
		if (end > at) {
			at = end - 1;
			continue;
		}
		depth += (text[at] == '(') - (text[at] == ')');
		if (!depth && (text[at] == '{' || text[at] == ';'))
			return at + 1;
		if (directive && text[at] == '\n' && text[at - 1] != '\\')
			break;
	}
	return std::string::npos;
}

/*
 * Kernels are of one side where other functions are of both: a template's explicit instance, `template __global__ ...;`,
 * is refused by clang where the template is of both sides.
 */
std::string kernels_apart(const std::string &text)
{
	static const std::string word = "__global__",
				 one = "_Pragma(\"clang force_cuda_host_device end\") ",
				 both = " _Pragma(\"clang force_cuda_host_device begin\")";
	std::string s;
	for (size_t at = 0, end; at < text.size(); at = end) {
		end = past_opaque(text, at);
		if (end == at && text.compare(at, word.size(), word) == 0) {
			size_t head = past_head(text, at);
			end = head == std::string::npos ? at + word.size() : head;
			s += head == std::string::npos ? word
						       : one + text.substr(at, end - at) + both;
			continue;
		}
		end += end == at;
		s.append(text, at, end - at);
	}
	return s;
}

std::string with_names(const _nvrtcProgram &p, bool everywhere)
{
	std::string s = "#include <assert.h>\n"; /* NVRTC has assert without it */
	s += everywhere ? "#pragma clang force_cuda_host_device begin\n" : "";
	s += "#line 1 \"" + p.name + "\"\n" + (everywhere ? kernels_apart(p.source) : p.source) + "\n";
	if (everywhere)
		s += "#pragma clang force_cuda_host_device end\n";
	for (size_t i = 0; i < p.expressions.size(); i++)
		s += "__device__ auto *__nvrtc_name_" + std::to_string(i) + " = &(" + p.expressions[i].text + ");\n";
	return s;
}

nvrtcResult compile(_nvrtcProgram &p, int n, const char *const *options)
{
	const char *tmp = getenv("TMPDIR");
	std::string folder = std::string(tmp && *tmp ? tmp : "/tmp") + "/heddle-nvrtc-XXXXXX";
	if (!mkdtemp(folder.data()))
		return NVRTC_ERROR_INTERNAL_ERROR;
	fs::path dir = folder;
	std::vector<std::string> words = {command(), "cc", "-ptx", "-std=c++17"};
	bool everywhere = false, ok = false;
	for (int i = 0; i < n; i++)
		if (!is_own(options[i], &everywhere))
			words.push_back(options[i]);
	fs::path source = dir / fs::path(p.name).filename();
	source += ".cu";
	for (const auto &h : p.headers)
		write(dir / "include" / fs::path(h.first).relative_path(),
		      everywhere ? kernels_apart(h.second) : h.second);
	write(source, with_names(p, everywhere));
	words.insert(words.end(), {"-I", (dir / "include").string(), "-I", ".", source.string(), "-o", (dir / "ptx").string()});
	ok = run(words, dir / "log");
	p.log = slurp(dir / "log");
	if (ok)
		p.ptx = slurp(dir / "ptx");
	fs::remove_all(dir);
	for (size_t i = 0; ok && i < p.expressions.size(); i++)
		p.expressions[i].lowered = initial_value(p.ptx, "__nvrtc_name_" + std::to_string(i));
	p.compiled = ok;
	return ok ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult size_of(const std::string &text, size_t *n)
{
	if (!n)
		return NVRTC_ERROR_INVALID_INPUT;
	*n = text.size() + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult copy_of(const std::string &text, char *to)
{
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	text.copy(to, text.size());
	to[text.size()] = 0;
	return NVRTC_SUCCESS;
}

} // namespace

extern "C" {

const char *nvrtcGetErrorString(nvrtcResult r)
{
	static const char *const names[] = {"NVRTC_SUCCESS",
					    "NVRTC_ERROR_OUT_OF_MEMORY",
					    "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
					    "NVRTC_ERROR_INVALID_INPUT",
					    "NVRTC_ERROR_INVALID_PROGRAM",
					    "NVRTC_ERROR_INVALID_OPTION",
					    "NVRTC_ERROR_COMPILATION",
					    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
					    "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
					    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
					    "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
					    "NVRTC_ERROR_INTERNAL_ERROR"};
	return (unsigned)r < sizeof names / sizeof *names ? names[r] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = 11;
	*minor = 8;
	return NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
	if (!n)
		return NVRTC_ERROR_INVALID_INPUT;
	*n = sizeof archs / sizeof *archs;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *to)
{
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	for (int a : archs)
		*to++ = a;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int n,
			       const char *const *headers, const char *const *names)
{
	if (!out || !source || n < 0 || (n && (!headers || !names)))
		return NVRTC_ERROR_INVALID_INPUT;
	_nvrtcProgram *p = new _nvrtcProgram;
	p->source = source;
	p->name = name && *name ? name : "default_program";
	for (int i = 0; i < n; i++)
		p->headers.emplace_back(names[i], headers[i]);
	*out = p;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p)
{
	if (!p || !*p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	delete *p;
	*p = nullptr;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	return compile(*p, n, options);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *n) { return p ? size_of(p->ptx, n) : NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *to) { return p ? copy_of(p->ptx, to) : NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *n) { return nvrtcGetPTXSize(p, n); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *to) { return nvrtcGetPTX(p, to); }
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram p, size_t *n)
{
	if (!p || !n)
		return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	*n = 0;
	return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNVVM(nvrtcProgram p, char *) { return p ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM; }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *n)
{
	return p ? size_of(p->log, n) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *to) { return p ? copy_of(p->log, to) : NVRTC_ERROR_INVALID_PROGRAM; }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
	if (!p || !expression)
		return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	if (p->compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	std::string text = expression;
	size_t start = text.find_first_not_of(" \t&");
	p->expressions.push_back({expression, ""});
	if (start != std::string::npos)
		p->expressions.back().text = text.substr(start);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
	if (!p || !expression || !name)
		return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	if (!p->compiled)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	std::string text = expression;
	size_t start = text.find_first_not_of(" \t&");
	for (const auto &e : p->expressions)
		if (start != std::string::npos && e.text == text.substr(start) && !e.lowered.empty()) {
			*name = e.lowered.c_str();
			return NVRTC_SUCCESS;
		}
	return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
}
