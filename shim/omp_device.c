/* SPDX-License-Identifier: MIT */
/* Device routines of the user API. Any thread. The host is the device numbered omp_get_num_devices(); other devices exist
 * only where the real libgomp is in the process and has them (real.h): calls that name one are handed on. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "icv.h"
#include "msg.h"
#include "omp_abi.h"
#include "real.h"
#include "thread.h"

void omp_set_default_device(int device) { tn_icv_write(tn_self_attach())->default_device = device >= 0 ? device : 0; }
int omp_get_default_device(void) { return tn_icv_read()->default_device; }
int omp_get_num_devices(void) { return tn_real_devices(); }
int omp_get_initial_device(void) { return tn_real_devices(); }
int omp_get_device_num(void) { return tn_real_devices(); }
int omp_is_initial_device(void) { return 1; }

static bool is_host(int device) { return device == TN_OMP_INITIAL_DEVICE || device == omp_get_initial_device(); }

bool tn_device_exists(int device)
{
    if (device >= 0 && device < tn_real_devices())
        return true;
    tn_global_need();
    if (tn_global.target_offload == TN_OFFLOAD_MANDATORY)
        tn_fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but device %d is not found", device);
    return false;
}

/* Calls the real libgomp's function of the same name and type. */
#define REAL(type_of, node, ...)                                                       \
    ({                                                                                    \
        static struct tn_real r_ = {.name = #type_of, .version = node};                  \
        __typeof__(&type_of) f_ = (__typeof__(&type_of))tn_real_find(&r_);                \
        f_ ? f_(__VA_ARGS__) : (__typeof__(f_(__VA_ARGS__)))0;                            \
    })

void *omp_target_alloc(size_t size, int device)
{
    if (is_host(device))
        return malloc(size);
    return tn_device_exists(device) ? REAL(omp_target_alloc, "OMP_4.5", size, device) : NULL;
}

void omp_target_free(void *ptr, int device)
{
    static struct tn_real r = {.name = "omp_target_free", .version = "OMP_4.5"};
    if (is_host(device)) {
        free(ptr);
    } else if (tn_device_exists(device)) {
        void (*f)(void *, int) = (void (*)(void *, int))tn_real_find(&r);
        if (f)
            f(ptr, device);
    }
}

int omp_target_is_present(const void *ptr, int device)
{
    if (!ptr || is_host(device)) /* nothing is present everywhere */
        return 1;
    return tn_device_exists(device) ? REAL(omp_target_is_present, "OMP_4.5", ptr, device) : 0;
}

int omp_target_is_accessible(const void *ptr, size_t size, int device)
{
    if (is_host(device))
        return 1;
    return tn_device_exists(device) ? REAL(omp_target_is_accessible, "OMP_5.1.1", ptr, size, device) : 0;
}

void *omp_get_mapped_ptr(const void *ptr, int device)
{
    if (is_host(device))
        return (void *)(uintptr_t)ptr;
    return tn_device_exists(device) ? REAL(omp_get_mapped_ptr, "OMP_5.1.1", ptr, device) : NULL;
}

int omp_target_memcpy(void *dst, const void *src, size_t length, size_t dst_off, size_t src_off, int dst_dev, int src_dev)
{
    if (is_host(dst_dev) && is_host(src_dev)) {
        memcpy((char *)dst + dst_off, (const char *)src + src_off, length);
        return 0;
    }
    if ((!is_host(dst_dev) && !tn_device_exists(dst_dev)) || (!is_host(src_dev) && !tn_device_exists(src_dev)))
        return EINVAL;
    return REAL(omp_target_memcpy, "OMP_4.5", dst, src, length, dst_off, src_off, dst_dev, src_dev);
}

/* The box `volume` of a `dims`-dimensional array, rows by recursion. All sizes in elements of `element` bytes. */
static int copy_rect(char *dst, const char *src, size_t element, int dims, const size_t *volume, const size_t *dst_off,
                     const size_t *src_off, const size_t *dst_dim, const size_t *src_dim)
{
    size_t dst_slice = element, src_slice = element;
    for (int i = 1; i < dims; i++)
        if (__builtin_mul_overflow(dst_slice, dst_dim[i], &dst_slice) ||
            __builtin_mul_overflow(src_slice, src_dim[i], &src_slice))
            return EINVAL;
    dst += dst_slice * dst_off[0];
    src += src_slice * src_off[0];
    if (dims == 1) {
        memcpy(dst, src, element * volume[0]);
        return 0;
    }
    for (size_t i = 0; i < volume[0]; i++, dst += dst_slice, src += src_slice) {
        int e = copy_rect(dst, src, element, dims - 1, volume + 1, dst_off + 1, src_off + 1, dst_dim + 1, src_dim + 1);
        if (e)
            return e;
    }
    return 0;
}

int omp_target_memcpy_rect(void *dst, const void *src, size_t element, int dims, const size_t *volume,
                           const size_t *dst_off, const size_t *src_off, const size_t *dst_dim, const size_t *src_dim,
                           int dst_dev, int src_dev)
{
    if (!dst && !src)
        return INT_MAX; /* the question how many dimensions are supported */
    if (dims < 0)
        return EINVAL;
    if (is_host(dst_dev) && is_host(src_dev))
        return dims == 0 ? 0 : copy_rect(dst, src, element, dims, volume, dst_off, src_off, dst_dim, src_dim);
    if ((!is_host(dst_dev) && !tn_device_exists(dst_dev)) || (!is_host(src_dev) && !tn_device_exists(src_dev)))
        return EINVAL;
    return REAL(omp_target_memcpy_rect, "OMP_4.5", dst, src, element, dims, volume, dst_off, src_off, dst_dim, src_dim,
                dst_dev, src_dev);
}

/* The asynchronous forms may be done by the time they return: what they depend on is waited for first. */
int omp_target_memcpy_async(void *dst, const void *src, size_t length, size_t dst_off, size_t src_off, int dst_dev,
                            int src_dev, int deps, void *dep)
{
    tn_device_wait_depobjs(deps, dep);
    return omp_target_memcpy(dst, src, length, dst_off, src_off, dst_dev, src_dev);
}

int omp_target_memcpy_rect_async(void *dst, const void *src, size_t element, int dims, const size_t *volume,
                                 const size_t *dst_off, const size_t *src_off, const size_t *dst_dim,
                                 const size_t *src_dim, int dst_dev, int src_dev, int deps, void *dep)
{
    tn_device_wait_depobjs(deps, dep);
    return omp_target_memcpy_rect(dst, src, element, dims, volume, dst_off, src_off, dst_dim, src_dim, dst_dev, src_dev);
}

void *omp_target_memset(void *ptr, int value, size_t size, int device)
{
    if (is_host(device))
        return memset(ptr, value, size);
    return tn_device_exists(device) ? REAL(omp_target_memset, "GOMP_6.0.1", ptr, value, size, device) : ptr;
}

void *omp_target_memset_async(void *ptr, int value, size_t size, int device, int deps, void *dep)
{
    tn_device_wait_depobjs(deps, dep);
    return omp_target_memset(ptr, value, size, device);
}

int omp_target_associate_ptr(const void *host, const void *dev, size_t size, size_t off, int device)
{
    return !is_host(device) && tn_device_exists(device) ? REAL(omp_target_associate_ptr, "OMP_4.5", host, dev, size, off, device) : EINVAL;
}

int omp_target_disassociate_ptr(const void *ptr, int device)
{
    return !is_host(device) && tn_device_exists(device) ? REAL(omp_target_disassociate_ptr, "OMP_4.5", ptr, device) : EINVAL;
}

/* --- Identity and interoperability: the host has neither a foreign runtime nor properties of one ------------------- */

static const char host_uid[] = "OMP_INITIAL_DEVICE";

int omp_get_device_from_uid(const char *uid)
{
    if (strcmp(uid, host_uid) == 0)
        return omp_get_initial_device();
    if (tn_real_devices() == 0)
        return TN_OMP_INVALID_DEVICE;
    return REAL(omp_get_device_from_uid, "GOMP_6.0", uid);
}

const char *omp_get_uid_from_device(int device)
{
    if (is_host(device))
        return host_uid;
    return device >= 0 && device < tn_real_devices() ? REAL(omp_get_uid_from_device, "GOMP_6.0", device) : NULL;
}

enum { IRC_OTHER = -6, IRC_OUT_OF_RANGE = -2, IRC_EMPTY = -1, IRC_SUCCESS = 0, IRC_NO_VALUE = 1 }; /* omp_interop_rc_t */
enum { IPR_FIRST = -9, IPR_LAST = -1 };                                    /* omp_interop_property_t, predefined ones */

static intptr_t no_property(const void *interop, int property, int *ret)
{
    if (ret)
        *ret = interop ? IRC_OTHER : property < IPR_FIRST || property > IPR_LAST ? IRC_OUT_OF_RANGE : IRC_EMPTY;
    return 0;
}

int omp_get_num_interop_properties(const void *interop)
{
    (void)interop;
    return 0;
}

intptr_t omp_get_interop_int(const void *interop, int property, int *ret) { return no_property(interop, property, ret); }
void *omp_get_interop_ptr(const void *interop, int p, int *ret) { return (void *)no_property(interop, p, ret); }
const char *omp_get_interop_str(const void *interop, int p, int *ret) { return (void *)no_property(interop, p, ret); }

const char *omp_get_interop_name(const void *interop, int property)
{
    static const char *const name[] = {"fr_id", "fr_name", "vendor", "vendor_name", "device_num", "platform", "device",
                                       "device_context", "targetsync"};
    (void)interop;
    return property >= IPR_FIRST && property <= IPR_LAST ? name[-1 - property] : NULL;
}

const char *omp_get_interop_type_desc(const void *interop, int property)
{
    (void)interop;
    return property >= IPR_FIRST && property <= IPR_LAST ? "N/A" : NULL;
}

const char *omp_get_interop_rc_desc(const void *interop, int code)
{
    static const char *const text[] = {"no meaningful value available", "successful", "provided interoperability object is omp_interop_none",
                                       "property ID is out of range", "property type is integer, not pointer or string",
                                       "property type is pointer, not integer or string",
                                       "property type is string, not integer or pointer", "other error"};
    (void)interop;
    return code >= IRC_OTHER && code <= IRC_NO_VALUE ? text[IRC_NO_VALUE - code] : NULL;
}
